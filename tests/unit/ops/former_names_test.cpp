#include <gtest/gtest.h>

#include "core/ops/versions/tags.h"
#include "core/store/catalog/manifest_summary.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

using test::MissingRef;
using Labels = std::vector<std::string>;

TEST_F(MissingRef, OfATaggedVersionIsDamageUntilItsModelHasItsNumberAgain) {
  loseRef("sst2");
  loseCatalog();
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages[0].path, store().refs().tagPath("sst2", "prod"));
  EXPECT_NE(report.damages[0].reason.find("sst2:v1"), std::string::npos);
  // What the tag names is no other model meanwhile.
  const auto other = test::makeTuned(*base_, 12);
  EXPECT_EQ(add("sst2", *other, "base").version.label(), "sst2:v2");
  EXPECT_EQ(verify().damages.size(), 1U);
  EXPECT_EQ(recover().named, Labels{"sst2:v1"});
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *other));
  EXPECT_TRUE(recover().named.empty());
}

TEST_F(MissingRef, OfATaggedVersionLeavesItsNumberToNoModelOfAnotherStore) {
  loseRef("sst2");
  loseCatalog();
  VersionRef ref = store().refs().readVersion("base", 1).value();
  const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
  ASSERT_TRUE(manifest);
  const auto summary = summarize(*manifest, ref.manifestDigest, store().objects());
  ref.name = "sst2";
  {
    const auto writer = store().lock("pull");
    ASSERT_TRUE(writer);
    const auto entry = (*writer)->adoptVersion({ref, summary, {}});
    ASSERT_TRUE(entry) << entry.error().message;
    EXPECT_EQ(entry->label(), "sst2:v2");
  }
  EXPECT_EQ(recover().named, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(MissingRef, OfATaggedVersionIsNotGuessedAmongSeveralModels) {
  const auto other = test::makeTuned(*base_, 12);
  add("ner", *other, "base");
  loseRef("sst2");
  loseRef("ner");
  loseCatalog();
  EXPECT_EQ(recover().named, (Labels{"recovered:v1", "recovered:v2"}));
  EXPECT_FALSE(verify().sound());
  EXPECT_FALSE(store().resolve("sst2:prod"));
  // As the damage says.
  const auto removed = removeTag(store(), "sst2:prod");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(verify().sound());
}

}  // namespace
}  // namespace strata
