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
    std::vector<std::size_t> consumed;
    ASSERT_TRUE(orderedPipeline(
        500, slotCount,
        [&](std::size_t item, std::size_t slot) -> Result<void> {
          slots[slot] = item * item;
          return {};
        },
        [&](std::size_t, std::size_t slot) -> Result<void> {
          consumed.push_back(slots[slot]);
          return {};
        }));
    ASSERT_EQ(consumed.size(), 500U);
    for (std::size_t i = 0; i < consumed.size(); ++i) EXPECT_EQ(consumed[i], i * i);
  }
}

TEST(OrderedPipeline, EndsAtTheFirstFailureInOrder) {
  std::size_t consumed = 0;
  const auto done = orderedPipeline(
      500, 4,
      [](std::size_t item, std::size_t) -> Result<void> {
        if (item >= 20) return fail(ErrorCode::CorruptData, std::to_string(item));
        return {};
      },
      [&](std::size_t, std::size_t) -> Result<void> {
        ++consumed;
        return {};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "20");
  EXPECT_EQ(consumed, 20U);
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
