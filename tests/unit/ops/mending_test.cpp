#include <gtest/gtest.h>

#include <algorithm>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Labels = std::vector<std::string>;

/// A base, a difference to it and one to that. What verify advises is done, and helps.
class Mending : public test::StoreFixture {
 protected:
  Mending()
      : base_(test::makeModel(1)),
        tuned_(test::makeTuned(*base_, 10)),
        next_(test::makeTuned(*tuned_, 11, 0.01)) {
    import("zero", *base_);
    add("run", *tuned_, "zero");
    add(*next_, {.name = "again", .baseChoice = BaseChoice::Reference, .base = "run"});
  }

  VerifyReport verify(VerifyOptions::Level level = VerifyOptions::Level::Full) {
    auto report = verifyStore(store(), {.level = level}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }

  void expectSound() {
    const VerifyReport report = verify(VerifyOptions::Level::Rebuild);
    for (const Damage& damage : report.damages) ADD_FAILURE() << damage.path << damage.reason;
  }

  static Labels labelsOf(const VerifyReport& report) {
    Labels labels;
    for (const MendingModel& model : report.toAdd) labels.push_back(model.label);
    return labels;
  }

  const test::MemoryModel& modelOf(const std::string& label) const {
    return label == "zero:v1" ? *base_ : label == "run:v1" ? *tuned_ : *next_;
  }

  /// Adds what the report names, one after the other.
  void follow(const VerifyReport& report) {
    for (const MendingModel& model : report.toAdd) {
      ASSERT_FALSE(model.label.empty());
      add(modelOf(model.label), {.name = model.label.substr(0, model.label.find(':'))});
    }
  }

  std::vector<fs::path> objectsOf(const std::string& reference, bool manifests) {
    std::vector<fs::path> paths;
    const auto objects = store().catalog().objectsOf(store().resolve(reference)->manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (object.isManifest == manifests) paths.push_back(store().objects().pathOf(object.digest));
    }
    return paths;
  }

  void loseManifest(const std::string& reference) {
    ASSERT_TRUE(fs::remove(objectsOf(reference, true).at(0)));
  }

  void loseCatalog() {
    store_.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
    }
    ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
    reopen();
  }

  Result<GarbageReport> collect(bool unnamedToo = false) {
    return collectGarbage(store(), {.dryRun = false, .unnamedToo = unnamedToo}, {});
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_, next_;
};

TEST_F(Mending, BeginsWithTheBase) {
  for (const char* reference : {"again", "run", "zero"}) {
    fs::remove(objectsOf(reference, false).at(0));
  }
  const VerifyReport report = verify();
  EXPECT_EQ(labelsOf(report), (Labels{"zero:v1", "run:v1", "again:v1"}));
  follow(report);
  expectSound();
  EXPECT_EQ(store().catalog().versions()->size(), 3U);
}

TEST_F(Mending, NamesOnlyWhatIsDamagedItself) {
  fs::remove(objectsOf("run", false).at(0));
  const VerifyReport report = verify();
  EXPECT_EQ(report.damagedVersions, (Labels{"again:v1", "run:v1"}));
  EXPECT_EQ(labelsOf(report), Labels{"run:v1"});
  follow(report);
  expectSound();
}

/// The name of a file is part of its model.
TEST_F(Mending, NamesTheFilesThatHaveToBeAdded) {
  fs::remove(objectsOf("run", false).at(0));
  const VerifyReport report = verify();
  ASSERT_EQ(report.toAdd.size(), 1U);
  EXPECT_EQ(report.toAdd[0].file, tuned_->description().files[0].path);
}

/// What is damaged is no parent of what is added.
TEST_F(Mending, AnotherModelDoesWithoutTheDamagedOne) {
  fs::remove(objectsOf("run", false).at(0));
  const auto next = test::makeTuned(*tuned_, 12);
  const auto added = addVersion(store(), *next, {.name = "run"}, {}, {});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->damagedParent, "run:v1");
  EXPECT_EQ(added->parentLabel, "zero:v1");
  EXPECT_TRUE(comesBack("run:v2", *next));
  // Nor where its name's base is damaged, too.
  fs::remove(objectsOf("zero", false).at(0));
  const auto alone = test::makeTuned(*tuned_, 13);
  const auto full = addVersion(store(), *alone, {.name = "run"}, {}, {});
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->parentLabel, "");
  EXPECT_FALSE(full->damagedParent.empty());
  EXPECT_TRUE(comesBack("run:v3", *alone));
  // But what the caller names is no other.
  const auto named =
      addVersion(store(), *test::makeTuned(*tuned_, 14),
                 {.name = "other", .baseChoice = BaseChoice::Reference, .base = "zero"}, {}, {});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, ErrorCode::CorruptData);
}

TEST_F(Mending, OfALostObjectFolderIsThatOfAllObjects) {
  fs::remove_all(storeFolder() / "objects");
  const VerifyReport report = verify();
  EXPECT_EQ(std::count_if(report.damages.begin(), report.damages.end(),
                          [](const auto& one) { return one.kind == Damage::Kind::Folder; }),
            1);
  EXPECT_EQ(report.damagedVersions, (Labels{"again:v1", "run:v1", "zero:v1"}));
  EXPECT_EQ(labelsOf(report), (Labels{"zero:v1", "run:v1", "again:v1"}));
  EXPECT_EQ(collect().error().code, ErrorCode::CorruptData);
  follow(report);
  expectSound();
}

TEST_F(Mending, TakesAnObjectFolderThatIsMissingForEmpty) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"again", "run", "zero"}, .now = true}));
  ASSERT_TRUE(collect());
  fs::remove_all(storeFolder() / "objects");
  expectSound();
  add("run", *tuned_);
  expectSound();
}

/// The manifest is gone, and the catalog that remembered what it said, too.
class LostManifestOfAMiddle : public Mending {
 protected:
  LostManifestOfAMiddle() {
    loseManifest("run");
    loseCatalog();
  }
};

TEST_F(LostManifestOfAMiddle, IsMendedByItsModel) {
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::ManifestObject);
  EXPECT_EQ(report.damagedVersions, (Labels{"again:v1", "run:v1"}));
  EXPECT_EQ(labelsOf(report), Labels{"run:v1"});
  EXPECT_EQ(collect().error().code, ErrorCode::CorruptData);
  follow(report);
  expectSound();
  EXPECT_TRUE(comesBack("run:v1", *tuned_));
  EXPECT_TRUE(comesBack("again", *next_));
  EXPECT_TRUE(collect());
}

TEST_F(LostManifestOfAMiddle, CanBeGivenUpWithWhatNeedsIt) {
  const auto soft = removeVersions(store(), {.references = {"run:v1"}});
  ASSERT_FALSE(soft);
  EXPECT_EQ(soft.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(soft.error().message.find("--now"), std::string::npos);
  const auto alone = removeVersions(store(), {.references = {"run:v1"}, .now = true});
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("again:v1"), std::string::npos) << alone.error().message;
  const auto removed =
      removeVersions(store(), {.references = verify().damagedVersions, .now = true});
  ASSERT_TRUE(removed) << removed.error().message;
  expectSound();
  EXPECT_TRUE(comesBack("zero", *base_));
  ASSERT_TRUE(collect());
  EXPECT_EQ(add("run", *tuned_).version.label(), "run:v2");
}

TEST_F(LostManifestOfAMiddle, IsWhatAReferenceToItSays) {
  const auto found = store().resolveChecked("run");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::CorruptData);
  EXPECT_EQ(found.error().message.find("--rebuild-catalog"), std::string::npos);
  EXPECT_NE(found.error().message.find("\"strata verify\""), std::string::npos);
}

TEST_F(Mending, OfAnUnreadableRefIsARepair) {
  test::writeWhole(store().refs().versionPath("again", 1), "cut");
  loseCatalog();
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Ref);
  const auto refused = collect();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("\"strata verify --repair\""), std::string::npos);
  ASSERT_TRUE(recoverVersions(store(), {}));
  expectSound();
  EXPECT_TRUE(collect());
}

TEST_F(Mending, OfWhatWasInTheTrashIsEmptyingIt) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"again"}}));
  const auto trashed = store().catalog().version("again", 1, Place::Trash);
  fs::remove(store().objects().pathOf((*trashed)->manifestDigest));
  loseCatalog();
  EXPECT_EQ(verify().damagedInTrash, Labels{"again:v1"});
  const auto refused = collect();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("\"strata trash empty\""), std::string::npos);
  ASSERT_TRUE(emptyTrash(store(), {}));
  expectSound();
  EXPECT_TRUE(collect());
}

/// What cannot be emptied, since others are differences to it, is no advice to empty it.
TEST_F(Mending, OfWhatOthersNeedInTheTrashIsGivingUpAll) {
  const fs::path manifest = objectsOf("run", true).at(0);
  ASSERT_TRUE(removeVersions(store(), {.references = {"run"}}));
  ASSERT_TRUE(fs::remove(manifest));
  loseCatalog();
  const auto refused = emptyTrash(store(), {.references = {"run:v1"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_NE(refused.error().message.find("\"strata remove again:v1\", then \"strata trash empty\""),
            std::string::npos)
      << refused.error().message;
  ASSERT_TRUE(removeVersions(store(), {.references = {"again:v1"}}));
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  expectSound();
}

/// `run` has lost its name for good, and `again`, in the trash, is a difference to it.
class MendingOfUnlisted : public Mending, public testing::WithParamInterface<bool> {};

TEST_P(MendingOfUnlisted, IsGivingUpWhatNeedsIt) {
  const fs::path lost = objectsOf("run", GetParam()).at(0);
  ASSERT_TRUE(removeVersions(store(), {.references = {"run"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(removeVersions(store(), {.references = {"again"}}));
  ASSERT_TRUE(fs::remove(lost));
  if (GetParam()) loseCatalog();
  const VerifyReport report = verify();
  EXPECT_EQ(report.damagedVersions, (Labels{"again:v1", "run:v1"}));
  EXPECT_EQ(report.damagedInTrash,
            GetParam() ? (Labels{"again:v1", "run:v1"}) : Labels{"again:v1"});
  EXPECT_EQ(report.damagedUnlisted, GetParam() ? Labels{} : Labels{"run:v1"});
  const auto emptied = emptyTrash(store(), {.references = report.damagedInTrash});
  ASSERT_TRUE(emptied) << emptied.error().message;
  expectSound();
}

INSTANTIATE_TEST_SUITE_P(PackOrManifest, MendingOfUnlisted, testing::Bool());

/// A ref that cannot be read, of a version whose manifest is lost: only its packs are left.
class SetAside : public Mending {
 protected:
  SetAside() {
    loseManifest("again");
    std::string text = test::readWhole(store().refs().versionPath("again", 1));
    text[text.find("addedAt")] = 'X';
    test::writeWhole(store().refs().versionPath("again", 1), text);
    loseCatalog();
    const auto recovered = recoverVersions(store(), {});
    EXPECT_TRUE(recovered && recovered->setAside.size() == 1 && recovered->named.empty());
    if (recovered) ref_ = recovered->setAside.at(0);
  }

  std::size_t objectCount() { return store().objects().list()->size(); }

  fs::path ref_;
};

TEST_F(SetAside, KeepsThePacksThatItMayHaveNamed) {
  const std::size_t count = objectCount();
  const auto kept = collect();
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->setAside, std::vector<fs::path>{ref_});
  EXPECT_GT(kept->unknownObjects, 0U);
  EXPECT_TRUE(kept->freed.empty());
  EXPECT_EQ(objectCount(), count);
  const auto freed = collect(true);
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_EQ(freed->freed.size(), kept->unknownObjects);
  expectSound();
}

TEST_F(SetAside, KeepsNothingOnceItsModelIsBack) {
  add("back", *next_);
  const auto freed = collect();
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_TRUE(freed->setAside.empty());
  EXPECT_EQ(freed->unknownObjects, 0U);
  EXPECT_TRUE(comesBack("back", *next_));
}

TEST_F(SetAside, KeepsNothingOnceItIsDeleted) {
  ASSERT_TRUE(fs::remove(ref_));
  const auto freed = collect();
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_FALSE(freed->freed.empty());
}

/// Notes of names: the highest number that was used, and a mark of a rename.
TEST_F(Mending, OfDamagedNotesIsARepair) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"again"}, .now = true}));
  add("again", *test::makeTuned(*base_, 12), "zero");
  const fs::path last = store().refs().lastNumberPath("again");
  const fs::path former = store().refs().formerNamePath("again");
  ASSERT_TRUE(fs::exists(last));
  test::writeWhole(last, "cut");
  test::writeWhole(former, "cut");
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 2U);
  EXPECT_EQ(report.damages[0].path, last);
  EXPECT_EQ(report.damages[1].path, former);
  EXPECT_TRUE(report.damagedVersions.empty());
  const auto recovered = recoverVersions(store(), {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->setAside, std::vector<fs::path>{former.string() + ".damaged"});
  expectSound();
  EXPECT_EQ(store().refs().readLastNumber("again")->number, 2U);
}

/// Emptying the trash writes the note of the highest number: a damaged one must not lower it.
TEST_F(Mending, OfADamagedLastNumberIsNotLoweredByADeletion) {
  const auto deleted = [&](const std::string& name) {
    ASSERT_TRUE(removeVersions(store(), {.references = {name}, .now = true}));
  };
  add("other", *test::makeTuned(*base_, 20), "zero");
  add("other", *test::makeTuned(*base_, 21), "zero");
  deleted("other:v2");
  test::writeWhole(store().refs().lastNumberPath("other"), "cut");
  deleted("other:v1");
  EXPECT_EQ(store().refs().readLastNumber("other")->number, 2U);
  loseCatalog();
  EXPECT_EQ(add("other", *test::makeTuned(*base_, 22), "zero").version.label(), "other:v3");
}

/// A tag that cannot be read, and nothing else says where it was.
TEST_F(Mending, OfATagThatNothingRemembersSetsItAside) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  const fs::path file = store().refs().tagPath("run", "prod");
  test::writeWhole(file, "cut");
  loseCatalog();
  ASSERT_EQ(verify().damages.size(), 1U);
  const auto recovered = recoverVersions(store(), {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  const fs::path aside = file.string() + ".damaged";
  EXPECT_EQ(recovered->setAside, std::vector<fs::path>{aside});
  EXPECT_EQ(test::readWhole(aside), "cut");
  expectSound();
  const VerifyReport report = verify();
  EXPECT_EQ(report.setAside, std::vector<fs::path>{aside});
  EXPECT_TRUE(report.foreign.empty());
  EXPECT_TRUE(collect());
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  expectSound();
}

TEST_F(Mending, OfATagThatTheCatalogRemembersKeepsIt) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v1", .tag = "prod"}));
  test::writeWhole(store().refs().tagPath("run", "prod"), "cut");
  const auto recovered = recoverVersions(store(), {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_TRUE(recovered->setAside.empty());
  EXPECT_EQ(store().refs().readTag("run", "prod")->number, 1U);
  expectSound();
}

}  // namespace
}  // namespace strata
