// The kernels that hash: every set against the plain loops.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/digest.h"
#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

class EveryChecksumKernel : public EveryKernelSet {};

TEST_P(EveryChecksumKernel, ChecksumsAsThePlainLoopsDo) {
  const auto words = edgyWords<std::uint64_t>(2000, 17);
  const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
  for (std::size_t count = 0; count < 16'000; count += count < 1100 ? 1 : 997) {
    const std::uint64_t expected = plain().xxh3(bytes + 1, count);
    ASSERT_EQ(set().xxh3(bytes + 1, count), expected) << count << " bytes";
    ASSERT_EQ(xxh3({bytes + 1, count}), expected) << count << " bytes";
  }
}

TEST_P(EveryChecksumKernel, ChecksumsPiecesAsTheWhole) {
  const auto words = edgyWords<std::uint64_t>(2000, 18);
  const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
  const kernels::LevelKernels& more = kernels::levelKernels(set());
  for (const std::size_t piece : {1UL, 63UL, 256UL, 1000UL, 4096UL, 20'000UL}) {
    for (const std::size_t count : {0UL, 1UL, 17UL, 240UL, 241UL, 1024UL, 1025UL, 15'999UL}) {
      kernels::HashState state;
      more.beginHash(state);
      for (std::size_t at = 0; at < count; at += piece) {
        more.addToHash(state, bytes + 1 + at, std::min(piece, count - at));
      }
      EXPECT_EQ(more.endHash(state), plain().xxh3(bytes + 1, count)) << count << " bytes";
      EXPECT_EQ(more.endHash(state), plain().xxh3(bytes + 1, count)) << "a second time";
      kernels::HashState whole;
      kernels::levelKernels(plain()).beginHash(whole);
      kernels::levelKernels(plain()).addToHash(whole, bytes + 1, count);
      EXPECT_EQ(more.endHash128(state), kernels::levelKernels(plain()).endHash128(whole));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryChecksumKernel, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
