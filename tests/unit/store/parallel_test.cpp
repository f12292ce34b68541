#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <vector>

namespace strata {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
  std::vector<std::atomic<int>> calls(1000);
  ASSERT_TRUE(parallelFor(calls.size(), [&](std::size_t i) -> Result<void> {
    ++calls[i];
    return {};
  }));
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_TRUE(parallelFor(
      0, [](std::size_t) -> Result<void> { return fail(ErrorCode::Internal, "called"); }));
}

TEST(ParallelFor, GivesAnErrorOn) {
  const auto done = parallelFor(1000, [](std::size_t i) -> Result<void> {
    if (i == 7) return fail(ErrorCode::CorruptData, "seven");
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "seven");
}

TEST(OrderedPipeline, ConsumesInOrderFromOwnSlots) {
  for (const std::size_t slotCount : {1, 2, 5}) {
    std::vector<std::size_t> slots(slotCount);
    std::vector<std::size_t> summed;
    std::vector<std::size_t> consumed;
    const PipelineStage consumers[] = {[&](std::size_t item, std::size_t slot) -> Result<void> {
                                         summed.push_back(item);
                                         slots[slot] += summed.size();
                                         return {};
                                       },
                                       [&](std::size_t, std::size_t slot) -> Result<void> {
                                         consumed.push_back(slots[slot]);
                                         return {};
                                       }};
    ASSERT_TRUE(orderedPipeline(
        500, slotCount,
        [&](std::size_t item, std::size_t slot) -> Result<void> {
          slots[slot] = item * item;
          return {};
        },
        consumers));
    ASSERT_EQ(consumed.size(), 500U);
    for (std::size_t i = 0; i < consumed.size(); ++i) {
      EXPECT_EQ(summed[i], i);
      EXPECT_EQ(consumed[i], i * i + i + 1);
    }
  }
}

Result<void> failFrom(std::size_t first, std::size_t item) {
  if (item >= first) return fail(ErrorCode::CorruptData, std::to_string(item));
  return {};
}

TEST(OrderedPipeline, EndsAtTheFirstFailureInOrder) {
  constexpr std::size_t kNever = 1000;
  struct Case {
    std::size_t transform, first, second;  ///< from which item on each step fails
  };
  for (const Case& c : {Case{20, kNever, kNever}, Case{25, 20, kNever}, Case{30, 25, 20},
                        Case{kNever, 22, 20}, Case{20, 20, 20}}) {
    std::size_t begun = 0;
    std::size_t done = 0;
    const PipelineStage consumers[] = {[&](std::size_t item, std::size_t) -> Result<void> {
                                         STRATA_TRY(failFrom(c.first, item));
                                         ++begun;
                                         return {};
                                       },
                                       [&](std::size_t item, std::size_t) -> Result<void> {
                                         STRATA_TRY(failFrom(c.second, item));
                                         ++done;
                                         return {};
                                       }};
    const auto ended = orderedPipeline(
        500, 4, [&](std::size_t item, std::size_t) { return failFrom(c.transform, item); },
        consumers);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().message, "20");
    EXPECT_EQ(done, 20U);
    EXPECT_GE(begun, 20U);
  }
}

TEST(ThreadLimit, HoldsWhileItLives) {
  const std::size_t before = threadCount();
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(threadCount(), 1U);
  }
  EXPECT_EQ(threadCount(), before);
}

}  // namespace
}  // namespace strata
