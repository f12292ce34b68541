#include "tests/conformance/device_test.h"

#include <cstdlib>
#include <string_view>

namespace strata::test {
namespace {

const kernels::DeviceOpening& gpu() {
  static const kernels::DeviceOpening kGpu = kernels::openCudaDevice();
  return kGpu;
}

}  // namespace

bool wantsGpu() {
  const char* wish = std::getenv("STRATA_TEST_DEVICE");
  return wish != nullptr && std::string_view(wish) == "cuda";
}

std::unique_ptr<kernels::DeviceQueue> makeDeviceQueue(bool backwards) {
  if (wantsGpu()) return gpu().engine->makeQueue();
  return hostEngine({.backwards = backwards})->makeQueue();
}

void DeviceTest::SetUp() {
  if (wantsGpu() && gpu().engine == nullptr) GTEST_SKIP() << "no GPU: " << gpu().reason;
}

}  // namespace strata::test
