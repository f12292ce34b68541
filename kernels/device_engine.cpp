#define XXH_INLINE_ALL
#include "kernels/device_engine.h"

#include <xxhash.h>

#include <cstring>

namespace strata::kernels {
namespace {

template <std::size_t kCount>
void readKeys(std::size_t offset, std::uint64_t (&keys)[kCount]) noexcept {
  std::memcpy(keys, XXH3_kSecret + offset, sizeof keys);
}

ChecksumKeys readAllKeys() noexcept {
  ChecksumKeys keys{.start = {XXH_PRIME32_3, XXH_PRIME64_1, XXH_PRIME64_2, XXH_PRIME64_3,
                              XXH_PRIME64_4, XXH_PRIME32_2, XXH_PRIME64_5, XXH_PRIME32_1},
                    .stripes = {},
                    .last = {},
                    .merge = {}};
  readKeys(0, keys.stripes);
  readKeys(sizeof keys.stripes - sizeof keys.last - 7, keys.last);
  readKeys(11, keys.merge);
  return keys;
}

}  // namespace

const ChecksumKeys& checksumKeys() noexcept {
  static const ChecksumKeys kKeys = readAllKeys();
  return kKeys;
}

const char* describe(DeviceFault fault) noexcept {
  switch (fault) {
    case DeviceFault::None:
      return "no fault";
    case DeviceFault::NotBuilt:
      return "this program was built without CUDA";
    case DeviceFault::NoDriver:
      return "no CUDA driver that is new enough";
    case DeviceFault::NoDevice:
      return "no CUDA device";
    case DeviceFault::TooOld:
      return "the GPU is too old";
    case DeviceFault::Busy:
      return "the GPU is busy: another process has it for itself";
    case DeviceFault::OutOfMemory:
      return "out of memory on the GPU, or of pinned memory";
    case DeviceFault::Wrong:
      return "the GPU came to wrong results";
    case DeviceFault::Failed:
      break;
  }
  return "the GPU failed";
}

}  // namespace strata::kernels
