#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/archive/file_modes.h"
#include "core/ops/versions/add_version.h"
#include "core/store/catalog/manifest_summary.h"
#include "hub/generation.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kPrivate = 0600;

/// One content that two stores added with different permission bits, under one name and number.
class ModesOfVersions : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    for (Store* const store : {ours_.get(), theirs_.get()}) importBase(*store);
    addWith(*ours_, 0);
    addWith(*theirs_, kPrivate);
    ASSERT_NE(manifestOf(*ours_), manifestOf(*theirs_));
  }

  void addWith(Store& store, std::uint32_t mode, const std::string& name = "t",
               const std::string& profile = "exact") {
    test::MemoryModel& tuned = name == "t" ? *tuned_ : *other_;
    tuned.setMode(0, mode);
    AddOptions options{.name = name, .baseChoice = BaseChoice::Reference, .base = "base"};
    options.profile = profile;
    const auto added = addVersion(store, tuned, options, {}, {});
    ASSERT_TRUE(added) << added.error().message;
  }

  static Digest manifestOf(const Store& store) { return store.resolve("t:v1")->manifestDigest; }

  static std::uint32_t modeOf(const Store& store) {
    const VersionEntry version = store.resolve("t:v1").value();
    const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
    return manifest ? modesOf(*manifest).begin()->second : 0;
  }

  Digest manifestThere() {
    return RemoteLibrary::from(remote_.readRefs({}).value()).find("t", 1)->ref.manifestDigest;
  }

  const std::unique_ptr<test::MemoryModel> tuned_ = test::makeTuned(*test::makeModel(1), 11);
  const std::unique_ptr<test::MemoryModel> other_ = test::makeTuned(*test::makeModel(1), 12);
  const std::unique_ptr<Store> ours_ = makeStore("ours"), theirs_ = makeStore("theirs");
};

TEST_F(ModesOfVersions, AreThoseOfWhoPushedFirstAndThatIsSaid) {
  ASSERT_TRUE(push(*ours_, remote_));
  EXPECT_THAT(push(*ours_, remote_)->modesElsewhere, IsEmpty());
  const auto sent = push(*theirs_, remote_);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(sent->modesElsewhere, ElementsAre("t:v1"));
  EXPECT_EQ(manifestThere(), manifestOf(*ours_));
  const auto pulled = pull(*theirs_, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->modesElsewhere, ElementsAre("t:v1"));
  EXPECT_EQ(modeOf(*theirs_), kPrivate);
}

/// Manifests differ in more than that: once both are here, they tell.
TEST_F(ModesOfVersions, AreNotSaidToBeOtherWhereBothManifestsSayTheSame) {
  addWith(*ours_, 0, "u", "exact");
  addWith(*theirs_, 0, "u", "careful");
  ASSERT_TRUE(push(*ours_, remote_));
  for (const std::string label : {"t:v1", "u:v1"}) {
    const Digest manifest = ours_->resolve(label)->manifestDigest;
    ASSERT_NE(theirs_->resolve(label)->manifestDigest, manifest);
    const fs::path here = theirs_->objects().pathOf(manifest);
    fs::create_directories(here.parent_path());
    fs::copy_file(ours_->objects().pathOf(manifest), here, fs::copy_options::skip_existing);
  }
  EXPECT_THAT(push(*theirs_, remote_)->modesElsewhere, ElementsAre("t:v1"));
  EXPECT_THAT(pull(*theirs_, remote_)->modesElsewhere, ElementsAre("t:v1"));
}

TEST_F(ModesOfVersions, StayWhereAPullMendsAVersion) {
  ASSERT_TRUE(push(*ours_, remote_));
  const auto objects = theirs_->catalog().objectsOf(manifestOf(*theirs_)).value();
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) fs::remove(theirs_->objects().pathOf(object.digest));
  }
  const auto pulled = pull(*theirs_, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(modeOf(*theirs_), kPrivate);
  expectSound(*theirs_);
}

TEST_F(ModesOfVersions, AreSaidToBeTheRemotesWhereTheManifestWasLost) {
  ASSERT_TRUE(push(*ours_, remote_));
  fs::remove(theirs_->objects().pathOf(manifestOf(*theirs_)));
  const auto pulled = pull(*theirs_, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->problems, Contains(HasSubstr("t:v1: its manifest was lost here")));
  EXPECT_EQ(manifestOf(*theirs_), manifestOf(*ours_));
}

TEST_F(ModesOfVersions, AreNotTakenFromAStoreThatMendsADamagedRef) {
  ASSERT_TRUE(push(*ours_, remote_));
  const fs::path list = folder_ / "remote" / "refs" / generationName(1);
  const std::string sound = test::unchecked(test::readWhole(list));
  std::string text = sound;
  const std::size_t ref = text.find("\"t/v1\"");
  text[text.find("\"kind\"", ref) + 1] = 'K';
  text[text.find("\"addedAt\":", ref) + 10] = '9';  // else both may have been added at one time
  const auto mend = [&](Store& store) {
    test::writeWhole(list, text);
    return push(store, remote_, {.repair = true});
  };
  const auto refused = mend(*theirs_);
  ASSERT_TRUE(!refused || !refused->failed.empty());
  const std::string why = refused ? refused->failed.front().error.message : refused.error().message;
  EXPECT_THAT(why, HasSubstr("this store does not know what it said"));
  ASSERT_TRUE(mend(*ours_));
  EXPECT_EQ(manifestThere(), manifestOf(*ours_));
}

}  // namespace
}  // namespace strata::hub
