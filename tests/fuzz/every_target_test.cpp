// What the fuzzers begin with, damaged the same way every time.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutator.h"

namespace strata::test {
namespace {

class EveryTarget : public testing::TestWithParam<NamedTarget> {};

TEST_P(EveryTarget, KeepsItsPromises) {
  constexpr std::size_t kInputs = 1500;
  const auto target = GetParam().make();
  const std::vector<std::string> seeds = target->seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) ASSERT_EQ(target->broken(seed), "");
  Mutator mutator(70);
  for (std::size_t i = 0; i < kInputs; ++i) {
    const auto whole = std::as_bytes(std::span(seeds[i % seeds.size()]));
    std::vector<std::byte> damaged(whole.begin(), whole.end());
    mutator.mutate(damaged);
    ASSERT_EQ(target->broken({reinterpret_cast<const char*>(damaged.data()), damaged.size()}), "")
        << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(OfOutsideBytes, EveryTarget,
                         testing::ValuesIn(fuzzTargets().begin(), fuzzTargets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace strata::test
