#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/repair_store.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/exchange/verify_remote.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"
#include "hub/bundle/bundle_transport.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two stores of the same models. In the one, and on `remote_`, x:v1 is a difference to base:v1; in
/// the other, and on `turned_`, base:v1 is one to x:v1.
class LineageCircles : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    importBase(*theirs_);
    add(*theirs_, "x", 11);
    ASSERT_TRUE(push(*theirs_, remote_));
    ASSERT_TRUE(pull(*ours_, remote_));
    turn(*theirs_, "base:v1");
    ASSERT_TRUE(push(*theirs_, turned_));
  }

  /// Stores x:v1 in full, and `base` as a difference to it.
  static void turn(Store& store, const std::string& base) {
    const auto x = recodeVersion(
        store, {.reference = "x:v1", .baseChoice = RecodeBase::None, .force = true}, {}, {});
    ASSERT_TRUE(x) << x.error().message;
    const auto turned = recodeVersion(
        store,
        {.reference = base, .baseChoice = RecodeBase::Reference, .base = "x:v1", .force = true}, {},
        {});
    ASSERT_TRUE(turned) << turned.error().message;
    ASSERT_TRUE(store.resolve(base).value().parentDigest);
  }

  static void remove(Store& store, const std::vector<std::string>& references) {
    ASSERT_TRUE(removeVersions(store, {.references = references}));
  }

  static void removeForGood(Store& store, const std::vector<std::string>& references) {
    remove(store, references);
    ASSERT_TRUE(emptyTrash(store, {}));
  }

  static void expectKeptAsCoded(const Store& store, const Digest& manifest) {
    EXPECT_EQ(store.resolve("base:v1").value().manifestDigest, manifest);
    expectSound(store);
  }

  /// Of the version's own manifest, or its packs.
  static void damage(const Store& store, const std::string& reference, bool isManifest) {
    const VersionEntry version = store.resolve(reference).value();
    const auto objects = store.catalog().objectsOf(version.manifestDigest).value();
    for (const CatalogObject& object : objects) {
      if (object.isManifest != isManifest) continue;
      const fs::path file = store.objects().pathOf(object.digest);
      fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
      test::writeWhole(file, test::readWhole(file) + "x");
    }
  }

  RemoteLibrary library() { return RemoteLibrary::from(*remote_.readRefs({})); }

  FolderTransport turned_{folder_ / "turned"};
  const std::unique_ptr<Store> theirs_ = makeStore("theirs");
  const std::unique_ptr<Store> ours_ = makeStore("ours");
};

TEST_F(LineageCircles, AParentThatWasRemovedComesBackAsItIsCodedHere) {
  const Digest manifest = ours_->resolve("base:v1").value().manifestDigest;
  for (const bool isForGood : {false, true}) {
    for (const bool isNamed : {false, true}) {
      isForGood ? removeForGood(*ours_, {"base:v1"}) : remove(*ours_, {"base:v1"});
      const std::vector<std::string> references(isNamed ? 1 : 0, "base:v1");
      const auto pulled = pull(*ours_, turned_, {.references = references});
      ASSERT_TRUE(pulled) << pulled.error().message;
      EXPECT_THAT(pulled->failed, IsEmpty());
      EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1"));
      EXPECT_TRUE(pulled->pulled[0].wasRemoved);
      EXPECT_EQ(pulled->byteCount, 0);
      expectKeptAsCoded(*ours_, manifest);
    }
  }
}

TEST_F(LineageCircles, SoItDoesOutOfABundle) {
  const fs::path file = folder_ / "base.strata";
  {
    const auto bundle = BundleTransport::create(file, false).value();
    ASSERT_TRUE(push(*theirs_, *bundle, {.references = {"base:v1"}, .parallel = 1}));
  }
  const Digest manifest = ours_->resolve("base:v1").value().manifestDigest;
  remove(*ours_, {"base:v1"});
  const auto bundle = BundleTransport::open(file).value();
  const auto taken = pull(*ours_, *bundle);
  ASSERT_TRUE(taken) << taken.error().message;
  expectKeptAsCoded(*ours_, manifest);
}

TEST_F(LineageCircles, AndWhereBothWereRemovedAndOneComesBackByItself) {
  const Digest manifest = ours_->resolve("base:v1").value().manifestDigest;
  remove(*ours_, {"base:v1", "x:v1"});
  ASSERT_TRUE(pull(*ours_, turned_, {.references = {"base:v1"}}));
  ASSERT_TRUE(restoreFromTrash(*ours_, {"x:v1"}));
  expectKeptAsCoded(*ours_, manifest);
}

TEST_F(LineageCircles, ALazyPullLeavesACodingWhoseParentIsAwaited) {
  const auto third = makeStore("third");
  ASSERT_TRUE(pull(*third, remote_, {.lazy = true}));
  const VersionEntry x = third->resolve("x:v1").value();
  const VersionEntry base = third->resolve("base:v1").value();
  const auto objects = third->catalog().objectsOf(x.manifestDigest).value();
  for (const CatalogObject& object : objects) {
    const fs::path file = third->objects().pathOf(object.digest);
    fs::create_directories(file.parent_path());
    fs::copy_file(ours_->objects().pathOf(object.digest), file, fs::copy_options::skip_existing);
  }
  const auto lazy = pull(*third, turned_, {.lazy = true});
  ASSERT_TRUE(lazy) << lazy.error().message;
  EXPECT_THAT(lazy->alreadyHere, SizeIs(2));
  EXPECT_EQ(lazy->objectCount, 0U);
  EXPECT_EQ(third->resolve("x:v1")->manifestDigest, x.manifestDigest);
  EXPECT_EQ(third->resolve("base:v1")->manifestDigest, base.manifestDigest);
  // What is lost is taken from there, also by a lazy pull.
  damage(*third, "x:v1", true);
  const auto mended = pull(*third, turned_, {.lazy = true});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_NE(third->resolve("x:v1")->manifestDigest, x.manifestDigest);
  ASSERT_TRUE(pull(*third, turned_));
  expectSound(*third);
}

TEST_F(LineageCircles, WhatIsDamagedHereIsTakenWithTheWholeLineage) {
  for (const bool isManifest : {false, true}) {
    for (const bool isRemoved : {false, true}) {
      const auto store =
          makeStore(std::string("store") + (isManifest ? "m" : "p") + (isRemoved ? "r" : "l"));
      ASSERT_TRUE(pull(*store, remote_));
      damage(*store, "base:v1", isManifest);
      ASSERT_FALSE(verifyStore(*store, {}, {}, {})->sound());
      if (isRemoved) remove(*store, {"base:v1"});
      const auto pulled = pull(*store, turned_, {.references = {"base:v1"}});
      ASSERT_TRUE(pulled) << pulled.error().message;
      EXPECT_THAT(pulled->failed, IsEmpty());
      expectSound(*store);
      EXPECT_FALSE(store->resolve("x:v1").value().parentDigest);
    }
  }
}

TEST_F(LineageCircles, WhatIsDamagedIsMendedAloneWhereTheRemoteHasTheSame) {
  const Digest manifest = ours_->resolve("x:v1").value().manifestDigest;
  damage(*ours_, "base:v1", false);
  ASSERT_FALSE(verifyStore(*ours_, {}, {}, {})->sound());
  ASSERT_TRUE(pull(*ours_, remote_));
  EXPECT_EQ(ours_->resolve("x:v1").value().manifestDigest, manifest);
  expectSound(*ours_);
}

TEST_F(LineageCircles, EachVersionOfADamagedContentIsMended) {
  add(*theirs_, "x", 12);
  add(*theirs_, "x", 11);
  FolderTransport other(folder_ / "other");
  ASSERT_TRUE(push(*theirs_, other));
  const auto store = makeStore("third");
  ASSERT_TRUE(pull(*store, other));
  ASSERT_EQ(store->resolve("x:v1").value().contentDigest,
            store->resolve("x:v3").value().contentDigest);
  damage(*store, "x:v3", false);
  ASSERT_FALSE(verifyStore(*store, {}, {}, {})->sound());
  ASSERT_TRUE(recodeVersion(
      *theirs_, {.reference = "base:v1", .baseChoice = RecodeBase::None, .force = true}, {}, {}));
  ASSERT_TRUE(recodeVersion(
      *theirs_,
      {.reference = "x:v1", .baseChoice = RecodeBase::Reference, .base = "base:v1", .force = true},
      {}, {}));
  ASSERT_NE(theirs_->resolve("x:v3").value().manifestDigest,
            store->resolve("x:v3").value().manifestDigest);
  FolderTransport anew(folder_ / "anew");
  ASSERT_TRUE(push(*theirs_, anew));
  const auto pulled = pull(*store, anew);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->failed, IsEmpty());
  expectSound(*store);
}

TEST_F(LineageCircles, AWriterGivesNoVersionAManifestThatStandsOnIt) {
  const VersionEntry there = theirs_->resolve("base:v1").value();
  const VersionEntry here = ours_->resolve("base:v1").value();
  const fs::path file = ours_->objects().pathOf(there.manifestDigest);
  fs::create_directories(file.parent_path());
  fs::copy_file(theirs_->objects().pathOf(there.manifestDigest), file);
  const Manifest manifest =
      readManifest(ours_->objects(), there.manifestDigest, there.contentDigest).value();
  const auto writer = ours_->lock("test").value();
  KnownRef known = refOf(*ours_, writer->catalog(), here).value();
  const auto done = writer->replaceManifests(
      "test", {{{known.ref}, summarize(manifest, there.manifestDigest, ours_->objects())}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(done.error().message, HasSubstr("base:v1"));
  EXPECT_EQ(writer->catalog().version("base", 1).value()->manifestDigest, here.manifestDigest);
}

TEST_F(LineageCircles, ARemoteKeepsTheRootOfWhatStandsOnIt) {
  const auto store = makeStore("third");
  ASSERT_TRUE(pull(*store, remote_));
  ASSERT_TRUE(renameVersions(*store, {.name = "base", .newName = "foo"}));
  turn(*store, "foo:v1");
  ASSERT_TRUE(push(*store, remote_, {.references = {"foo:v1"}}));
  const auto refused = removeRemoteVersions(*store, remote_, {.references = {"base:v1"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("x:v1"));
  EXPECT_THAT(refused.error().message, HasSubstr("foo:v1"));
  ASSERT_TRUE(verifyRemote(*store, remote_, {}, {}, {})->sound());

  // As an earlier program took it off.
  const RefListing listing = remote_.readRefs({}).value();
  RefPush push;
  push.summary = "remove";
  push.before = listing.refs;
  push.identity = listing.identity;
  push.updates.push_back({"base/v1", listing.refs.at("base/v1"), kRemovedRef});
  ASSERT_EQ(remote_.advanceRefs(push, {}).value(), RefOutcome::Advanced);
  const auto report = verifyRemote(*store, remote_, {}, {}, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->damagedVersions, ElementsAre("foo:v1", "x:v1"));
  const auto kept =
      collectRemoteGarbage(*store, remote_, {.dryRun = false, .graceSeconds = 0}, {}, {});
  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("leads back to itself"));
  // What the message says works.
  ASSERT_TRUE(removeRemoteVersions(*store, remote_, {.references = {"foo:v1", "x:v1"}}, {}));
  ASSERT_TRUE(ExchangeFixture::push(*store, remote_));
  EXPECT_TRUE(verifyRemote(*store, remote_, {}, {}, {})->sound());
}

TEST_F(LineageCircles, ANameComesBackOnARemoteThatHasTheVersionCodedOtherwise) {
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"base:v1", "x:v1"}}, {}));
  removeForGood(*ours_, {"base:v1"});
  ASSERT_TRUE(push(*ours_, remote_));
  ASSERT_EQ(library().parents.size(), 1U);
  const Digest manifest = library().parents[0].ref.manifestDigest;
  const auto pushed = push(*theirs_, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, IsEmpty());
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1"));
  EXPECT_THAT(library().parents, IsEmpty());
  ASSERT_NE(library().find("base", 1), nullptr);
  EXPECT_EQ(library().find("base", 1)->ref.manifestDigest, manifest);
  EXPECT_THAT(push(*theirs_, remote_)->pushed, IsEmpty());
  const auto store = makeStore("third");
  ASSERT_TRUE(pull(*store, remote_));
  EXPECT_TRUE(store->resolve("base:v1"));
  expectSound(*store);
}

TEST_F(LineageCircles, APushAndABundleTakeTheCopyThatEnds) {
  ASSERT_TRUE(renameVersions(*ours_, {.name = "base", .newName = "foo"}));
  const auto pulled = pull(*ours_, turned_, {.references = {"base:v1"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  FolderTransport third(folder_ / "third");
  ASSERT_TRUE(push(*ours_, third, {.references = {"x:v1"}}));
  const auto store = makeStore("receiver");
  ASSERT_TRUE(pull(*store, third));
  EXPECT_TRUE(store->resolve("foo:v1").value().isBase());
  expectSound(*store);

  const fs::path file = folder_ / "x.strata";
  {
    const auto bundle = BundleTransport::create(file, false).value();
    ASSERT_TRUE(push(*ours_, *bundle, {.references = {"x:v1"}, .parallel = 1}));
  }
  const auto other = makeStore("other");
  const auto bundle = BundleTransport::open(file).value();
  ASSERT_TRUE(pull(*other, *bundle));
  expectSound(*other);
}

/// A circle here, and the root that both stand on in the trash or not, its manifest lost.
class LostRoot : public LineageCircles {
 protected:
  void SetUp() override {
    LineageCircles::SetUp();
    ASSERT_TRUE(renameVersions(*ours_, {.name = "base", .newName = "foo"}));
    ASSERT_TRUE(pull(*ours_, turned_, {.references = {"base:v1"}}));
    ASSERT_TRUE(ours_->resolve("base:v1").value().parentDigest);
    root_ = ours_->resolve("foo:v1").value();
  }

  void loseRoot() { ASSERT_TRUE(fs::remove(ours_->objects().pathOf(root_.manifestDigest))); }

  std::size_t objectCount() const { return ours_->objects().list()->size(); }

  void expectMended() {
    const auto repaired = repairStore(*ours_, remote_, {}, {}, {});
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_TRUE(repaired->after.sound());
    expectSound(*ours_);
    EXPECT_TRUE(collectGarbage(*ours_, {.dryRun = false}, {}));
    expectSound(*ours_);
  }

  VersionEntry root_;
};

TEST_F(LostRoot, IsNotDeletedWhileOthersAreRebuiltThroughIt) {
  loseRoot();
  const std::size_t before = objectCount();
  const auto removed = removeVersions(*ours_, {.references = {"foo:v1"}, .now = true});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(removed.error().message, HasSubstr("strata remove --now foo:v1 base:v1 x:v1"));
  remove(*ours_, {"foo:v1"});
  const auto emptied = emptyTrash(*ours_, {});
  ASSERT_FALSE(emptied);
  EXPECT_EQ(emptied.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(emptied.error().message, HasSubstr("strata remove base:v1 x:v1"));
  EXPECT_FALSE(collectGarbage(*ours_, {.dryRun = false}, {}));
  EXPECT_EQ(objectCount(), before);
  expectMended();
}

TEST_F(LostRoot, IsGivenUpAsTheErrorSays) {
  loseRoot();
  const auto removed =
      removeVersions(*ours_, {.references = {"foo:v1", "base:v1", "x:v1"}, .now = true});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(collectGarbage(*ours_, {.dryRun = false}, {}));
  EXPECT_EQ(objectCount(), 0U);
}

TEST_F(LostRoot, IsGivenUpFromTheTrashAsTheErrorSays) {
  loseRoot();
  remove(*ours_, {"foo:v1"});
  remove(*ours_, {"base:v1", "x:v1"});
  const auto emptied = emptyTrash(*ours_, {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_TRUE(collectGarbage(*ours_, {.dryRun = false}, {}));
  EXPECT_EQ(objectCount(), 0U);
}

/// As a store is that an earlier program took the root from.
TEST_F(LostRoot, LeavesACircleThatGcKeepsAndARemoteMends) {
  ASSERT_TRUE(fs::remove(ours_->refs().versionPath("foo", 1)));
  const fs::path folder = ours_->folder();
  auto circle = [&] {
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::remove(folder / (std::string("catalog.sqlite") + end));
    }
    EXPECT_TRUE(rebuildCatalog(folder, {}, {}));
    return std::move(Store::open(folder)).value();
  }();
  const std::size_t before = circle->objects().list()->size();
  const auto collected = collectGarbage(*circle, {.dryRun = false}, {});
  ASSERT_FALSE(collected);
  EXPECT_EQ(collected.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(collected.error().message, HasSubstr("circle"));
  EXPECT_EQ(circle->objects().list()->size(), before);
  const auto repaired = repairStore(*circle, remote_, {}, {}, {});
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_FALSE(repaired->before.sound());
  EXPECT_TRUE(repaired->after.sound());
  expectSound(*circle);
  EXPECT_TRUE(collectGarbage(*circle, {.dryRun = false}, {}));
  expectSound(*circle);
}

}  // namespace
}  // namespace strata::hub
