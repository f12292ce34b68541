#include "core/store/objects/rebuildable_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Digest digestOf(int number) {
  Digest digest;
  digest.bytes[0] = static_cast<std::byte>(number);
  return digest;
}

Descent base(int content) { return {digestOf(content), std::nullopt}; }
Descent child(int content, int parent) { return {digestOf(content), digestOf(parent)}; }

TEST(CopiesToRebuild, AreThoseWhoseLineagesEnd) {
  // 1 stands on 2, which stands on 1: only the other copy of 1 gives both.
  const auto chosen = copiesToRebuild({child(1, 2), child(2, 1), base(1)});
  EXPECT_THAT(chosen, ElementsAre(Pair(digestOf(1), 2), Pair(digestOf(2), 1)));
}

TEST(CopiesToRebuild, HaveFewParents) {
  const auto chosen = copiesToRebuild({child(3, 2), child(2, 1), child(3, 1), base(1), base(1)});
  EXPECT_THAT(chosen,
              ElementsAre(Pair(digestOf(1), 3), Pair(digestOf(2), 1), Pair(digestOf(3), 2)));
}

TEST(CopiesToRebuild, MayEndElsewhere) {
  const auto chosen = copiesToRebuild({child(2, 2), child(2, 9), child(3, 2)});
  EXPECT_THAT(chosen, ElementsAre(Pair(digestOf(2), 1), Pair(digestOf(3), 2)));
}

TEST(CopiesToRebuild, AreTheFirstWhereNoneEnds) {
  const auto chosen = copiesToRebuild({child(1, 2), child(1, 1), child(2, 1)});
  EXPECT_THAT(chosen, ElementsAre(Pair(digestOf(1), 0), Pair(digestOf(2), 2)));
}

}  // namespace
}  // namespace strata
