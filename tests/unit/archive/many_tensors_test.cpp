#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "weights.h"

namespace strata::test {
namespace {

constexpr std::size_t kTensors = 20'000;
constexpr std::size_t kWords = 16;

/// Bytes that the program holds; 0 where a sanitizer has an allocator of its own.
std::size_t heldBytes() {
  const struct mallinfo2 held = mallinfo2();
  return held.uordblks + held.hblkhd;
}

/// Of one file of very many small tensors. `tuned` is added to each word.
std::unique_ptr<MemoryModel> manyTensors(float tuned) {
  std::vector<MemoryModel::Weight> weights;
  for (std::size_t t = 0; t < kTensors; ++t) {
    Matrix matrix{4, 4, std::vector<float>(kWords)};
    for (std::size_t i = 0; i < kWords; ++i) {
      const auto seed = static_cast<std::uint32_t>(t * kWords + i) * 2654435761U;
      matrix.values[i] = static_cast<float>(seed) * 1e-10F + 0.01F + tuned;
    }
    weights.push_back(weightOf("layers." + std::to_string(t / 1000) + ".experts." +
                                   std::to_string(1000 + t % 1000) + ".weight",
                               matrix));
  }
  return modelOf(weights);
}

// A million tensors are to fit into the memory that a user grants, so each byte of one counts.
TEST(ManyTensors, AreHeldByAReaderInFewBytesEach) {
  VersionStore store;
  const WriteReport base = store.add(*manyTensors(0));
  const std::size_t before = heldBytes();
  if (before == 0) GTEST_SKIP() << "no account of the memory that is held";
  const Reader reader = store.reader(base);
  EXPECT_EQ(reader->manifest().tensors.size(), kTensors);
  EXPECT_LT((heldBytes() - before) / kTensors, 180U);  // as structs they take 340
}

TEST(ManyTensors, AreWrittenAndComeBack) {
  VersionStore store;
  const auto model = manyTensors(0);
  const auto tuned = manyTensors(1e-5F);
  const WriteReport base = store.add(*model);
  const Reader parent = store.reader(base);
  const Reader version = store.reader(store.add(*tuned, parent), parent);
  EXPECT_EQ(restored(*version).value(), filesOf(*tuned));
}

}  // namespace
}  // namespace strata::test
