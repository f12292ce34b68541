#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/verify_store.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/rename_versions.h"
#include "core/store/catalog/check_dates.h"
#include "hub/bundle/bundle_transport.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A store whose objects are damaged without a change of size, and a remote that has them.
class DamagedHere : public test::ExchangeFixture {
 protected:
  DamagedHere() : ours_(makeFullStore("ours")), theirs_(makeStore("theirs")) {
    EXPECT_TRUE(push(*ours_, remote_));
    EXPECT_TRUE(pull(*theirs_, remote_));
  }

  void damage(const std::string& reference, bool manifest) {
    const VersionEntry version = theirs_->resolve(reference).value();
    const auto objects = theirs_->catalog().objectsOf(version.manifestDigest).value();
    for (const CatalogObject& object : objects) {
      if (object.isManifest != manifest) continue;
      const fs::path file = theirs_->objects().pathOf(object.digest);
      std::string bytes = test::readWhole(file);
      bytes[bytes.size() / 2] ^= 1;
      fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
      test::writeWhole(file, bytes);
    }
  }

  std::vector<std::string> damagedVersions() {
    const auto report = verifyStore(*theirs_, {}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->damagedVersions : std::vector<std::string>{"?"};
  }

  static std::vector<std::string> labels(const std::vector<VersionEntry>& versions) {
    std::vector<std::string> all;
    for (const VersionEntry& version : versions) all.push_back(version.label());
    return all;
  }

  const std::unique_ptr<Store> ours_, theirs_;
};

TEST_F(DamagedHere, ComesAnewOnceAVerificationNamedIt) {
  damage("base", false);
  const auto unaware = pull(*theirs_, remote_);
  ASSERT_TRUE(unaware);
  EXPECT_EQ(unaware->byteCount, 0U);  // a size tells, where nobody has looked
  EXPECT_EQ(damagedVersions().size(), 4U);
  const auto planned = pull(*theirs_, remote_, {.dryRun = true});
  ASSERT_TRUE(planned);
  EXPECT_THAT(labels(planned->completed), ElementsAre("base:v1"));
  const auto mended = pull(*theirs_, remote_);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(labels(mended->completed), ElementsAre("base:v1"));
  EXPECT_EQ(mended->objectCount, 1U);
  expectSound(*theirs_);
  EXPECT_EQ(pull(*theirs_, remote_)->objectCount, 0U);
  EXPECT_THAT(damagedVersions(), IsEmpty());
  EXPECT_THAT(damagedObjects(theirs_->folder()).value(), IsEmpty());
}

TEST_F(DamagedHere, ComesAnewUnderTheNameThatARenameGaveIt) {
  ASSERT_TRUE(renameVersions(*theirs_, {.name = "ner", .newName = "places"}));
  damage("places", false);
  EXPECT_THAT(damagedVersions(), ElementsAre("places:v1"));
  const auto mended = pull(*theirs_, remote_);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(labels(mended->completed), ElementsAre("places:v1"));
  EXPECT_THAT(mended->pulled, IsEmpty());
  EXPECT_FALSE(theirs_->resolve("ner"));
  EXPECT_THAT(damagedVersions(), IsEmpty());
  // Who asks for it by its name there gets it.
  ASSERT_TRUE(pull(*theirs_, remote_, {.references = {"ner"}}));
  EXPECT_TRUE(theirs_->resolve("ner"));
  expectSound(*theirs_);
}

TEST_F(DamagedHere, IsHashedWithProgressUntilSomebodyStopsIt) {
  damage("ner", false);
  EXPECT_THAT(damagedVersions(), ElementsAre("ner:v1"));
  const RemoteLibrary library = RemoteLibrary::from(remote_.readRefs({}).value());
  std::vector<std::string> phases;
  const auto note = [&](const Progress& at) { phases.push_back(at.phase); };
  ASSERT_TRUE(bytesToPull(*theirs_, library, {}, note));
  EXPECT_THAT(phases, ElementsAre("checking"));
  phases.clear();
  ASSERT_TRUE(pullVersions(*theirs_, remote_, {.dryRun = true}, {}, note));
  EXPECT_THAT(phases, ElementsAre("checking"));
  std::stop_source stop;
  stop.request_stop();
  const auto told = bytesToPull(*theirs_, library, stop.get_token());
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::Cancelled);
}

TEST_F(DamagedHere, ComesAnewWithAVersionThatStandsOnIt) {
  damage("base", false);
  EXPECT_EQ(damagedVersions().size(), 4U);
  const auto mended = pull(*theirs_, remote_, {.references = {"sst2:v1"}});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(labels(mended->completed), ElementsAre("base:v1"));
  expectSound(*theirs_);
}

TEST_F(DamagedHere, ManifestsComeAnew) {
  damage("sst2:v2", true);
  EXPECT_THAT(damagedVersions(), ElementsAre("sst2:v2"));
  const auto mended = pull(*theirs_, remote_);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(labels(mended->completed), ElementsAre("sst2:v2"));
  EXPECT_EQ(theirs_->resolve("sst2:prod")->number, 2U);
  expectSound(*theirs_);
}

TEST_F(DamagedHere, ComesAnewFromABundle) {
  const fs::path file = folder_ / "all.tar";
  ASSERT_TRUE(push(*ours_, *BundleTransport::create(file, false).value(), {.parallel = 1}));
  damage("base", false);
  damage("ner", false);
  EXPECT_EQ(damagedVersions().size(), 4U);
  const auto mended = pull(*theirs_, *BundleTransport::open(file).value());
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(labels(mended->completed), ElementsAre("base:v1", "ner:v1"));
  expectSound(*theirs_);
}

TEST_F(DamagedHere, StaysWhereItWasMendedMeanwhile) {
  const fs::path before = theirs_->objects().pathOf(
      theirs_->catalog().objectsOf(theirs_->resolve("base")->manifestDigest)->back().digest);
  const std::string bytes = test::readWhole(before);
  damage("base", false);
  EXPECT_EQ(damagedVersions().size(), 4U);
  test::writeWhole(before, bytes);  // from a backup
  EXPECT_EQ(pull(*theirs_, remote_)->objectCount, 0U);
}

/// Its coding there stands on another version, which is new here and cannot be listed.
TEST_F(DamagedHere, StaysSoWhereWhatComesStandsOnWhatDidNotCome) {
  add(*ours_, "mid", 77);
  const auto leaf = test::makeTuned(*test::makeModel(1), 78);
  AddOptions options{.name = "leaf", .baseChoice = BaseChoice::Reference, .base = "mid"};
  options.chain = ChainPolicy::Always;
  ASSERT_TRUE(addVersion(*ours_, *leaf, options, {}, {}));
  const VersionEntry mid = ours_->resolve("mid:v1").value();
  ASSERT_EQ(ours_->resolve("leaf:v1")->parentDigest, mid.contentDigest);
  add(*theirs_, "leaf", 78);
  const VersionEntry before = theirs_->resolve("leaf:v1").value();
  ASSERT_NE(before.parentDigest, mid.contentDigest);
  ASSERT_TRUE(push(*ours_, remote_));
  const auto objects = theirs_->catalog().objectsOf(before.manifestDigest).value();
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) fs::remove(theirs_->objects().pathOf(object.digest));
  }
  test::writeWhole(theirs_->folder() / "refs" / "mid", "in the way");
  const auto pulled = pull(*theirs_, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labels(pulled->completed), IsEmpty());
  ASSERT_EQ(pulled->failed.size(), 2U);
  EXPECT_EQ(theirs_->resolve("leaf:v1")->parentDigest, before.parentDigest);
  fs::remove(theirs_->folder() / "refs" / "mid");
  EXPECT_THAT(labels(pull(*theirs_, remote_)->completed), ElementsAre("leaf:v1"));
  expectSound(*theirs_);
}

}  // namespace
}  // namespace strata::hub
