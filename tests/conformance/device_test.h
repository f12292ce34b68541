#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/host_engine.h"

namespace strata::test {

/// Whether tests want the real GPU (STRATA_TEST_DEVICE=cuda), not the bodies of its kernels on the
/// CPU.
bool wantsGpu();
/// A queue of the one or the other; `backwards` as in HostEngineOptions.
std::unique_ptr<kernels::DeviceQueue> makeDeviceQueue(bool backwards);

/// Skips where the GPU is wanted and there is none.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace strata::test
