#include "core/store/objects/ending_codings.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace strata {
namespace {

Digest content(int number) {
  Digest digest;
  digest.bytes[0] = static_cast<std::byte>(number);
  return digest;
}

VersionEntry version(int number, std::optional<int> parent) {
  VersionEntry entry;
  entry.contentDigest = content(number);
  if (parent) entry.parentDigest = content(*parent);
  return entry;
}

UnnamedManifest coding(int number, std::optional<int> parent) {
  UnnamedManifest one;
  one.summary.entry = version(number, parent);
  return one;
}

std::vector<Digest> endsOf(const std::vector<VersionEntry>& versions,
                           const std::vector<UnnamedManifest>& loose) {
  std::vector<Digest> contents;
  for (const UnnamedManifest& one : endingCodings(versions, loose)) {
    contents.push_back(one.summary.entry.contentDigest);
  }
  return contents;
}

using Contents = std::vector<Digest>;

TEST(EndingCodings, EndACircleAtABaseOrAtASoundParent) {
  const std::vector<VersionEntry> circle{version(1, 2), version(2, 1), version(9, std::nullopt)};
  EXPECT_TRUE(hasCircles(circle));
  EXPECT_EQ(endsOf(circle, {coding(2, std::nullopt)}), Contents{content(2)});
  EXPECT_EQ(endsOf(circle, {coding(1, 9)}), Contents{content(1)});
  EXPECT_TRUE(endsOf(circle, {coding(1, 2), coding(2, 7), coding(9, std::nullopt)}).empty());
}

TEST(EndingCodings, AreOnlyThoseThatAreNeeded) {
  const std::vector<VersionEntry> circle{version(1, 2), version(2, 1)};
  EXPECT_EQ(endsOf(circle, {coding(1, std::nullopt), coding(2, std::nullopt)}).size(), 1U);
}

TEST(EndingCodings, ComeInTheOrderInWhichTheyServe) {
  // 3 and 4 stand on each other, and the coding of 3 on the circle of 1 and 2.
  const std::vector<VersionEntry> circles{version(1, 2), version(2, 1), version(3, 4),
                                          version(4, 3)};
  EXPECT_EQ(endsOf(circles, {coding(3, 1), coding(2, std::nullopt)}),
            (Contents{content(2), content(3)}));
}

TEST(EndingCodings, AreOfNoVersionThatOnlyHangsOnACircle) {
  const std::vector<VersionEntry> versions{version(1, 2), version(2, 1), version(5, 1)};
  EXPECT_TRUE(endsOf(versions, {coding(5, std::nullopt)}).empty());
  EXPECT_EQ(endsOf(versions, {coding(5, std::nullopt), coding(1, std::nullopt)}),
            Contents{content(1)});
}

TEST(EndingCodings, AreNoneWhereAParentIsMissingOrAllIsSound) {
  EXPECT_FALSE(hasCircles({version(1, 2)}));
  EXPECT_FALSE(hasCircles({version(1, 2), version(2, std::nullopt)}));
  // One of two copies of a content stands on itself, the other does not.
  EXPECT_FALSE(hasCircles({version(1, 2), version(2, 1), version(2, std::nullopt)}));
  EXPECT_TRUE(endsOf({version(1, 2)}, {coding(1, std::nullopt)}).empty());
}

TEST(EndingCodings, OfACircleOfOneAreFound) {
  EXPECT_EQ(endsOf({version(1, 1)}, {coding(1, std::nullopt)}), Contents{content(1)});
}

}  // namespace
}  // namespace strata
