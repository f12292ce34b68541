#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::MissingRef;
using Labels = std::vector<std::string>;

/// A ref from before its version was coded anew, put back by hand or from a backup.
class OldRef : public MissingRef {
 protected:
  OldRef() : next_(test::makeTuned(*tuned_, 11)) {
    add(*next_, {.name = "sst2", .chain = ChainPolicy::Always});
    const std::string before = test::readWhole(ref());
    flatten();
    EXPECT_TRUE(collect());  // until then the former objects are there, for undo
    test::writeWhole(ref(), before);
  }

  fs::path ref() { return store().refs().versionPath("sst2", 1); }

  void flatten() {
    const RecodeOptions options{
        .reference = "sst2:v1", .baseChoice = RecodeBase::None, .force = true};
    const auto recoded = recodeVersion(store(), options, {}, {});
    ASSERT_TRUE(recoded) << recoded.error().message;
    ASSERT_EQ(recoded->outcome, RecodeReport::Outcome::Recoded);
  }

  /// `spare`: objects that nothing needs any more.
  void expectMended(std::size_t spare = 0) {
    EXPECT_TRUE(verify().sound());
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
    EXPECT_TRUE(comesBack("sst2:v2", *next_));
    EXPECT_TRUE(verify().unnamed.empty());
    EXPECT_EQ(collect()->freed.size(), spare);
  }

  const std::unique_ptr<test::MemoryModel> next_;
};

TEST_F(OldRef, IsWrittenAnewByWhatTheCatalogKnows) {
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Ref);
  EXPECT_EQ(report.damagedVersions, Labels{"sst2:v1"});
  const RecoverReport recovered = recover();
  EXPECT_EQ(recovered.rewritten, Labels{"sst2:v1"});
  EXPECT_TRUE(recovered.named.empty());
  expectMended();
}

TEST_F(OldRef, IsWrittenAnewWithTheCatalog) {
  store_.reset();
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->rescued, Labels{"sst2:v1"});
  reopen();
  expectMended();
}

TEST_F(OldRef, WithoutTheCatalogTakesTheManifestThatIsHere) {
  loseCatalog();
  EXPECT_FALSE(verify().sound());
  const RecoverReport recovered = recover();
  EXPECT_EQ(recovered.rewritten, Labels{"sst2:v1"});
  EXPECT_TRUE(recovered.named.empty());
  expectMended(1);  // the manifest with other permissions than those of the owner alone
}

TEST_F(OldRef, IsTheOnlyDamageWhereItsContentHasAnotherName) {
  loseCatalog();
  const fs::path old = ref();
  const std::string text = test::readWhole(old);
  ASSERT_TRUE(fs::remove(old));
  fs::remove_all(old.parent_path() / "tags");  // they would tell its name
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  test::writeWhole(old, text);
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damagedVersions, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("sst2:v2", *next_));
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  expectMended();
}

/// An older ref makes a circle, while the coding that was written since lies in the store.
TEST_F(MissingRef, OlderThanTheCodingOfItsParentEndsItsCircleByWhatIsHere) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  const std::string before = test::readWhole(ref);
  const auto recode = [&](const RecodeOptions& options) {
    const auto recoded = recodeVersion(store(), options, {}, {});
    ASSERT_TRUE(recoded) << recoded.error().message;
    ASSERT_EQ(recoded->outcome, RecodeReport::Outcome::Recoded);
  };
  recode({.reference = "sst2:v1", .baseChoice = RecodeBase::None, .force = true});
  recode({.reference = "base:v1",
          .baseChoice = RecodeBase::Reference,
          .base = "sst2:v1",
          .force = true});
  test::writeWhole(ref, before);
  loseCatalog();
  const VerifyReport report = verify(VerifyOptions::Level::Full);
  ASSERT_EQ(report.damages.size(), 2U);
  for (const Damage& damage : report.damages) {
    EXPECT_TRUE(fs::exists(damage.path)) << "the coding that a repair takes";
    EXPECT_NE(damage.reason.find("a coding that no version names ends that"), std::string::npos);
  }
  // Whoever reads a version takes it, too.
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(comesBack("base:v1", *base_));
  // Nor does anything delete that coding, also where all of the circle is given up.
  const std::vector<std::vector<std::string>> given{{"base:v1", "sst2:v1"}, {"sst2:v1"}};
  for (const auto& references : given) {
    const auto removed = removeVersions(store(), {.references = references, .now = true});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::CorruptData);
    EXPECT_NE(removed.error().message.find("strata verify --repair"), std::string::npos);
  }
  EXPECT_NE(collect().error().message.find("strata verify --repair"), std::string::npos);
  EXPECT_FALSE(recover().rewritten.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(comesBack("base:v1", *base_));
  EXPECT_TRUE(recover().rewritten.empty());
  EXPECT_TRUE(removeVersions(store(), {.references = {"base", "sst2"}, .now = true}));
}

}  // namespace
}  // namespace strata
