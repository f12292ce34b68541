#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Labels = std::vector<std::string>;

/// Refs that are gone, and what every command makes of that: nothing that is needed is deleted.
class MissingRef : public test::StoreFixture {
 protected:
  MissingRef() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    AddOptions options{.name = "sst2"};
    options.tags = {"prod"};
    add(*tuned_, options);
  }

  void loseRef(const std::string& name, Place place = Place::Live) {
    ASSERT_TRUE(fs::remove(store().refs().versionPath(name, 1, place)));
  }

  void loseCatalog() {
    store_.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
    }
    const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
    ASSERT_TRUE(rebuilt) << rebuilt.error().message;
    reopen();
    const auto unnamed = unnamedModels(store(), {});
    ASSERT_TRUE(unnamed);
    EXPECT_EQ(rebuilt->unnamed.size(), unnamed->size());
  }

  RebuildReport rebuild() {
    store_.reset();
    auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
    EXPECT_TRUE(rebuilt) << rebuilt.error().message;
    reopen();
    return rebuilt.value_or(RebuildReport{});
  }

  /// As a writer leaves it that is killed.
  void leaveMark() {
    auto lock = StoreLock::acquire(storeFolder() / "lock", "test", {}, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }

  void settle() { ASSERT_TRUE(store().lock("test")); }

  VerifyReport verify(VerifyOptions::Level level = VerifyOptions::Level::Rebuild) {
    auto report = verifyStore(store(), {.level = level}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }

  void expectSound() {
    const VerifyReport report = verify();
    for (const Damage& damage : report.damages) ADD_FAILURE() << damage.path << damage.reason;
    EXPECT_TRUE(comesBack("sst2", *tuned_));
  }

  Result<GarbageReport> collect(bool unnamedToo = false) {
    return collectGarbage(store(), {.dryRun = false, .unnamedToo = unnamedToo}, {});
  }

  RecoverReport recover() {
    auto report = recoverVersions(store(), {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RecoverReport{});
  }

  std::size_t objectCount() { return store().objects().list()->size(); }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(MissingRef, IsSetAsideIfNothingElseKnowsWhatItSaid) {
  const auto next = test::makeTuned(*tuned_, 11);
  add(*next, {.name = "sst2", .chain = ChainPolicy::Always});
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "");
  loseCatalog();
  EXPECT_FALSE(verify().sound());
  EXPECT_FALSE(collect());
  const RecoverReport report = recover();
  EXPECT_EQ(report.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(report.named, Labels{"recovered:v1"});
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(collect());
  EXPECT_TRUE(comesBack("recovered:v1", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *next));
  EXPECT_TRUE(recover().setAside.empty());
}

TEST_F(MissingRef, IsSetAsideOnlyAfterWhatItMayHaveNamedHasAnotherName) {
  const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    if (!object.isManifest) fs::remove(store().objects().pathOf(object.digest));
  }
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "");
  loseCatalog();
  const std::size_t count = objectCount();
  const RecoverReport report = recover();
  EXPECT_EQ(report.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(report.named, Labels{"recovered:v1"});
  const VerifyReport verified = verify();
  EXPECT_EQ(verified.damagedVersions, Labels{"recovered:v1"});
  EXPECT_EQ(verified.setAside, report.setAside);
  EXPECT_TRUE(verified.foreign.empty());
  ASSERT_TRUE(collect(true));
  EXPECT_EQ(objectCount(), count);
  add(*tuned_, {.name = "again"});
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("recovered:v1", *tuned_));
}

TEST_F(MissingRef, OfATagIsDamageForEachWriterAfterAKill) {
  ASSERT_TRUE(fs::remove(store().refs().tagPath("sst2", "prod")));
  for (int writer = 0; writer < 2; ++writer) {
    leaveMark();
    settle();
    const VerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages[0].path, store().refs().tagPath("sst2", "prod"));
  }
  recover();
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, LeavesNothingOfAKilledWriterWhereTheCatalogIsWrittenAnew) {
  test::writeWhole(storeFolder() / "tmp" / "left.tmp", "left");
  leaveMark();
  loseCatalog();
  EXPECT_FALSE(fs::exists(storeFolder() / "tmp" / "left.tmp"));
}

TEST_F(MissingRef, OfAParentDoesNotKeepItsModelFromBeingAddedAgain) {
  const auto next = test::makeTuned(*tuned_, 11);
  add(*next, {.name = "sst2", .chain = ChainPolicy::Always});
  loseRef("sst2");
  loseCatalog();
  ASSERT_FALSE(comesBack("sst2:v2", *next));
  // By its base, for the newest version of the name cannot be read.
  add(*tuned_, {.name = "sst2"});
  EXPECT_TRUE(comesBack("sst2:v3", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *next));
}

TEST_F(MissingRef, IsDamageForEachWriterAfterAKill) {
  const std::size_t objects = objectCount();
  loseRef("base");
  leaveMark();
  for (int writer = 0; writer < 2; ++writer) {
    settle();
    const VerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages[0].reason, "is missing; its model is still here");
    EXPECT_EQ(report.damagedVersions, Labels{"base:v1"});
    EXPECT_EQ(collect().error().code, ErrorCode::CorruptData);
    EXPECT_EQ(emptyTrash(store(), {}).error().code, ErrorCode::CorruptData);
    EXPECT_EQ(objectCount(), objects);
  }
  EXPECT_EQ(recover().rewritten, Labels{"base:v1"});
  expectSound();
  EXPECT_TRUE(comesBack("base", *base_));
  EXPECT_TRUE(collect()->freed.empty());
}

TEST_F(MissingRef, IsWrittenAnewWithTheCatalog) {
  loseRef("base");
  store_.reset();
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->rescued, Labels{"base:v1"});
  EXPECT_TRUE(rebuilt->problems.empty());
  reopen();
  expectSound();
  EXPECT_TRUE(comesBack("base", *base_));
}

TEST_F(MissingRef, IsAProblemWhereItsManifestIsLostToo) {
  const fs::path manifest = store().objects().pathOf(store().resolve("base")->manifestDigest);
  const std::string bytes = test::readWhole(manifest);
  fs::remove(manifest);
  loseRef("base");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.rescued, Labels{"base:v1"});
  ASSERT_EQ(rebuilt.problems.size(), 1U);
  EXPECT_EQ(rebuilt.problems[0].find("base:v1: "), 0U) << rebuilt.problems[0];
  // Whoever brings the manifest back finds the version as it was.
  test::writeWhole(manifest, bytes);
  EXPECT_TRUE(rebuild().problems.empty());
  expectSound();
  EXPECT_TRUE(comesBack("base:v1", *base_));
}

TEST_F(MissingRef, DamagedIsWrittenAnewWithTheCatalog) {
  ASSERT_TRUE(editNote(store(), {.reference = "sst2", .text = "kept"}));
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "{");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.rescued, Labels{"sst2:v1"});
  EXPECT_TRUE(rebuilt.problems.empty());
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->note, "kept");
}

TEST_F(MissingRef, DamagedInTheTrashIsWrittenAnewWithTheCatalog) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  test::writeWhole(store().refs().versionPath("sst2", 1, Place::Trash), "{");
  EXPECT_EQ(rebuild().rescued, Labels{"sst2:v1"});
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, DamagedStaysBesideTheNewOneWhereItsManifestIsLost) {
  const fs::path manifest = store().objects().pathOf(store().resolve("sst2")->manifestDigest);
  const std::string bytes = test::readWhole(manifest);
  fs::remove(manifest);
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "{");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(rebuilt.problems.size(), 1U);
  EXPECT_EQ(verify().damagedVersions, Labels{"sst2:v1"});
  recover();
  test::writeWhole(manifest, bytes);
  EXPECT_TRUE(rebuild().problems.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(MissingRef, ThatIsALinkStaysForWhoeverPutItThere) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  fs::remove(ref);
  fs::create_symlink("elsewhere", ref);
  EXPECT_EQ(rebuild().problems.size(), 1U);
  EXPECT_TRUE(fs::is_symlink(ref));
}

TEST_F(MissingRef, OfTheTrashIsDamageToo) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  loseRef("sst2", Place::Trash);
  leaveMark();
  settle();
  EXPECT_EQ(verify().damagedVersions, Labels{"sst2:v1"});
  EXPECT_FALSE(emptyTrash(store(), {}));
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, KeepsTheTagOfItsVersion) {
  loseRef("sst2");
  leaveMark();
  settle();
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
  fs::remove(store().refs().tagPath("sst2", "prod"));
  EXPECT_FALSE(verify().sound());
  recover();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
  expectSound();
}

TEST_F(MissingRef, DoesNotKeepOtherVersionsFromTheirRestore) {
  const auto second = test::makeTuned(*base_, 11);
  add("sst2", *second, "base");
  loseRef("sst2");
  EXPECT_TRUE(comesBack("sst2:v2", *second));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:v1").error().code, ErrorCode::CorruptData);
}

TEST_F(MissingRef, OfAParentWithTheCatalogLeavesItsObjects) {
  loseRef("base");
  loseCatalog();
  const std::size_t objects = objectCount();
  const VerifyReport report = verify();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Parent);
  EXPECT_EQ(report.damages[0].reason, "has lost its ref; its model is still here");
  EXPECT_EQ(report.damages[0].versions, Labels{"sst2:v1"});
  const auto collected = collect(true);
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_EQ(objectCount(), objects);
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  expectSound();
  EXPECT_TRUE(comesBack("recovered", *base_));
}

TEST_F(MissingRef, OfAParentThatIsNowhereStopsAllDeleting) {
  fs::remove(store().objects().pathOf(store().resolve("base")->manifestDigest));
  loseRef("base");
  loseCatalog();
  const std::size_t objects = objectCount();
  const VerifyReport report = verify(VerifyOptions::Level::Quick);
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages[0].reason, "is not in this store");
  const auto refused = collect();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_NE(refused.error().message.find("sst2:v1: its parent"), std::string::npos);
  EXPECT_EQ(objectCount(), objects);
  // As the message says.
  import("base", *base_);
  EXPECT_TRUE(collect());
  expectSound();
}

TEST_F(MissingRef, OfAChildWithTheCatalogKeepsItsParent) {
  const std::size_t objects = objectCount();
  loseRef("sst2");
  loseCatalog();
  ASSERT_EQ(verify().unnamed.size(), 1U);
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}, .now = true}));
  ASSERT_TRUE(collect());
  EXPECT_EQ(objectCount(), objects);
  EXPECT_EQ(verify().unnamed.size(), 2U);
  EXPECT_EQ(recover().named, (Labels{"recovered:v1", "recovered:v2"}));
  EXPECT_TRUE(comesBack("recovered:v1", *base_));
  EXPECT_TRUE(comesBack("recovered:v2", *tuned_));
  EXPECT_TRUE(verify().unnamed.empty());
}

TEST_F(MissingRef, OfAChildGoesWithItsParentIfAskedFor) {
  loseRef("sst2");
  loseCatalog();
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(collect(true));
  EXPECT_EQ(objectCount(), 0U);
}

TEST_F(MissingRef, WithoutTheCatalogLeavesAModelThatGcNames) {
  const auto alone = test::makeModel(70);
  import("alone", *alone);
  loseRef("alone");
  loseCatalog();
  const VerifyReport named = verify();
  EXPECT_TRUE(named.sound());
  ASSERT_EQ(named.unnamed.size(), 1U);
  const auto kept = collect();
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_EQ(kept->unnamed.size(), 1U);
  EXPECT_TRUE(kept->freed.empty());
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  EXPECT_TRUE(comesBack("recovered", *alone));
  loseRef("recovered");
  loseCatalog();
  const auto freed = collect(true);
  EXPECT_EQ(freed->freed.size(), freed->unnamed.front().objects.size());
  expectSound();
}

TEST_F(MissingRef, DoesNotGiveItsNumberToAnotherModel) {
  loseRef("sst2");
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 12)).version.label(), "sst2:v2");
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
}

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
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  test::writeWhole(old, text);
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damagedVersions, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("sst2:v2", *next_));
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  expectMended();
}

/// What writers leave that are killed is no damage, before and after it is settled.
class UnfinishedWork : public MissingRef {};

TEST_F(UnfinishedWork, OfAnAddIsNoDamage) {
  VersionRef next = store().refs().readVersion("sst2", 1).value();
  next.number = 2;
  ASSERT_TRUE(store().refs().writeNewVersion(next));
  ASSERT_TRUE(store().refs().writeTag({"sst2", "new", 2, {}, 0}));
  EXPECT_FALSE(verify().sound()) << "nobody is at work";
  leaveMark();
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.unfinished, (Labels{"sst2:v2", "sst2:new"}));
  settle();
  EXPECT_TRUE(verify().unfinished.empty());
  EXPECT_EQ(store().resolve("sst2:new")->label(), "sst2:v2");
}

TEST_F(UnfinishedWork, OfADeletionIsFinished) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  const std::size_t objects = objectCount();
  ASSERT_TRUE(store().refs().markGoing("sst2", 1));
  leaveMark();
  EXPECT_EQ(verify().unfinished, Labels{"sst2:v1"});
  EXPECT_TRUE(verify().sound());
  settle();
  EXPECT_TRUE(store().refs().goingNumbers()->empty());
  EXPECT_TRUE(store().catalog().versions(Place::Trash)->empty());
  EXPECT_LT(objectCount(), objects);
  EXPECT_TRUE(collect()->freed.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("base", *base_));
}

TEST_F(UnfinishedWork, OfAWriterWhoseLockWasRemovedIsNoDamage) {
  const auto writer = store().lock("test");
  ASSERT_TRUE(writer);
  fs::remove(storeFolder() / "lock");
  VersionRef next = store().refs().readVersion("sst2", 1).value();
  next.number = 2;
  ASSERT_TRUE(store().refs().writeNewVersion(next));
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.unfinished, Labels{"sst2:v2"});
}

TEST_F(UnfinishedWork, DoesNotHideWhatIsLost) {
  loseRef("base");
  leaveMark();
  EXPECT_EQ(verify().damagedVersions, Labels{"base:v1"});
}

/// Catalogs that are old or damaged while a command deletes.
class WrongCatalog : public MissingRef {
 protected:
  WrongCatalog() {
    import("other", *other_);
    add("ner", *ner_, "base");
    add("old", *test::makeTuned(*base_, 30), "base");
    add("older", *test::makeTuned(*base_, 31), "base");
    EXPECT_TRUE(removeVersions(store(), {.references = {"old"}}).has_value());
  }

  fs::path catalogFile() const { return storeFolder() / "catalog.sqlite"; }

  const std::unique_ptr<test::MemoryModel> other_ = test::makeModel(60);
  const std::unique_ptr<test::MemoryModel> ner_ = test::makeTuned(*base_, 20);
};

TEST_F(WrongCatalog, NeverRemovesAnotherVersionThanTheNewest) {
  store_.reset();
  const std::string before = test::readWhole(catalogFile());
  reopen();
  const auto second = test::makeTuned(*base_, 40);
  add("sst2", *second, "base");
  store_.reset();
  test::writeWhole(catalogFile(), before);
  reopen();
  for (const bool now : {false, true}) {
    const auto removed = removeVersions(store(), {.references = {"sst2"}, .now = now});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::CorruptData);
  }
  EXPECT_FALSE(addTag(store(), {.reference = "sst2", .tag = "best"}));
  store_.reset();
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *second));
}

TEST_F(WrongCatalog, IsWrittenAnewWhereATableIsNoLongerWhatItWas) {
  store_.reset();
  const std::string sound = test::readWhole(catalogFile());
  const std::string table = "CREATE TABLE manifests(";
  const std::size_t begin = sound.find(table);
  ASSERT_NE(begin, std::string::npos);
  for (const std::string_view word : {"manifests(", "same_tensors", "BLOB", "relative_change"}) {
    std::string damaged = sound;
    damaged[damaged.find(word, begin) + 1] ^= 2;
    test::writeWhole(catalogFile(), damaged);
    const auto written = rebuildCatalog(storeFolder(), {}, {});
    ASSERT_TRUE(written) << word << ": " << written.error().message;
    reopen();
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_)) << word;
    EXPECT_TRUE(verify().damages.empty()) << word;
    store_.reset();
  }
}

TEST_F(WrongCatalog, DeletesNothingThatLives) {
  store_.reset();
  const std::string sound = test::readWhole(catalogFile());
  const fs::path template_ = folder_ / "template";
  fs::copy(storeFolder(), template_, fs::copy_options::recursive);
  constexpr std::size_t kFlips = 30;
  const std::size_t step = sound.size() * 8 / kFlips | 1;
  std::size_t opened = 0;
  for (std::size_t bit = 3; bit < sound.size() * 8; bit += step) {
    fs::remove_all(storeFolder());
    fs::copy(template_, storeFolder(), fs::copy_options::recursive);
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    test::writeWhole(catalogFile(), damaged);
    if (auto one = Store::open(storeFolder())) {
      ++opened;
      // Whatever they answer.
      static_cast<void>(removeVersions(**one, {.references = {"older"}, .now = true}).has_value());
      static_cast<void>(emptyTrash(**one, {}).has_value());
      static_cast<void>(
          collectGarbage(**one, {.dryRun = false, .unnamedToo = true}, {}).has_value());
    }
    // One that seems to be of a newer program is not written over.
    if (!rebuildCatalog(storeFolder(), {}, {})) fs::remove(catalogFile());
    ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {})) << "bit " << bit;
    reopen();
    EXPECT_TRUE(comesBack("base", *base_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("ner:v1", *ner_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("other", *other_)) << "bit " << bit;
    store_.reset();
  }
  EXPECT_GT(opened, kFlips / 2);
}

}  // namespace
}  // namespace strata
