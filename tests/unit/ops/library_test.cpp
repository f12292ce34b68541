#include <gtest/gtest.h>

#include "core/ops/inspect/diff_models.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/show_version.h"
#include "core/ops/inspect/store_info.h"
#include "core/ops/inspect/version_log.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// A base, two versions of one fine-tune and one of another.
class Library : public test::StoreFixture {
 protected:
  Library() : base_(test::makeModel(1)), first_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *first_, "base");
    second_ = test::makeTuned(*first_, 20, 0.05);
    add("sst2", *second_);
    add("ner", *test::makeTuned(*base_, 30), "base");
  }

  std::vector<std::string> labels(const ListOptions& options) {
    std::vector<std::string> labels;
    const auto report = listVersions(store(), options);
    EXPECT_TRUE(report) << report.error().message;
    for (const ListRow& row : report->rows) labels.push_back(row.version.label());
    return labels;
  }

  ErrorCode resolveError(const std::string& reference) {
    const auto found = store().resolve(reference);
    return found ? ErrorCode::Internal : found.error().code;
  }

  std::string resolved(const std::string& reference) {
    const auto found = store().resolve(reference);
    return found ? found->label() : found.error().message;
  }

  std::unique_ptr<test::MemoryModel> base_, first_, second_;
};

using Labels = std::vector<std::string>;

TEST_F(Library, ResolvesEveryKindOfReference) {
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v1", .tag = "prod"}));
  EXPECT_EQ(resolved("sst2"), "sst2:v2");
  EXPECT_EQ(resolved("sst2:v1"), "sst2:v1");
  EXPECT_EQ(resolved("sst2:prod"), "sst2:v1");
  EXPECT_EQ(resolved("sst2~0"), "sst2:v2");
  EXPECT_EQ(resolved("sst2~1"), "sst2:v1");
  const std::string hash = toHex(store().resolve("ner")->contentDigest);
  EXPECT_EQ(resolved("@" + hash), "ner:v1");
  EXPECT_EQ(resolved("@" + hash.substr(0, 12)), "ner:v1");
  EXPECT_EQ(resolveError("sst2~2"), ErrorCode::NotFound);
  EXPECT_EQ(resolveError("sst2:v3"), ErrorCode::NotFound);
  EXPECT_EQ(resolveError("sst2:lab"), ErrorCode::NotFound);
  EXPECT_EQ(resolveError("nothing"), ErrorCode::NotFound);
  EXPECT_EQ(resolveError("@0123456789abcdef"), ErrorCode::NotFound);
  EXPECT_NE(resolved("sst2:v3").find("sst2 has v1 (prod), v2"), std::string::npos);
}

TEST_F(Library, KeepsTheParentOfATrashedVersionHoweverManyNamesItHas) {
  add("twin", *base_);
  ASSERT_EQ(store().resolve("twin")->contentDigest, store().resolve("base")->contentDigest);
  for (const char* name : {"ner", "sst2:v2", "sst2:v1"}) {
    ASSERT_TRUE(removeVersions(store(), {.references = {name}})) << name;
  }
  const auto both = removeVersions(store(), {.references = {"base", "twin"}, .now = true});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->needed.size(), 1U);
  EXPECT_EQ(both->freedBytes, 0U);
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2:v1"}));
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
}

TEST_F(Library, ListsSortsAndFilters) {
  EXPECT_EQ(labels({}), (Labels{"base:v1", "ner:v1", "sst2:v2"}));
  EXPECT_EQ(labels({.allVersions = true}), (Labels{"base:v1", "ner:v1", "sst2:v2", "sst2:v1"}));
  EXPECT_EQ(labels({.glob = "s*"}), (Labels{"sst2:v2"}));
  EXPECT_EQ(labels({.sort = ListOptions::Sort::Size})[0], "base:v1");
  EXPECT_EQ(labels({.filter = "depth>0,name!=ner"}), (Labels{"sst2:v2"}));
  EXPECT_EQ(labels({.filter = "base=base"}), (Labels{"ner:v1", "sst2:v2"}));
  EXPECT_EQ(labels({.filter = "stored>1MB"}), (Labels{}));
  EXPECT_EQ(labels({.filter = "date>=2020,ratio>1.5x"}), (Labels{"ner:v1", "sst2:v2"}));
  for (const char* filter : {"ratio", "ratio>x", "colour=red", "name<x", "stored>many"}) {
    const auto refused = listVersions(store(), {.filter = filter});
    ASSERT_FALSE(refused) << filter;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  }
}

TEST_F(Library, AddsUpTheStore) {
  const auto report = listVersions(store(), {.glob = "none"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->totals.baseCount, 1U);
  EXPECT_EQ(report->totals.versionCount, 3U);
  EXPECT_EQ(report->totals.originalBytes, 4 * base_->bytesOf(0).size());
  EXPECT_GT(report->totals.storeRatio(), 1.5);
  const auto info = storeInfo(store());
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->nameCount, 3U);
  EXPECT_EQ(info->temporaryBytes, 0U);
  EXPECT_TRUE(info->lockedBy.empty() && info->lockLeftBy.empty());
}

TEST_F(Library, ShowsOneVersion) {
  const auto report = showVersion(store(), {.reference = "sst2:v1"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->baseLabel, "base:v1");
  ASSERT_EQ(report->tensors.size(), 3U);
  EXPECT_EQ(report->tensors[0].name, "first.weight");
  EXPECT_EQ(report->tensors[0].state, TensorState::Changed);
  EXPECT_EQ(report->tensors[2].state, TensorState::Same);
  EXPECT_NEAR(report->tensors[0].changedShare, 0.3, 0.05);
  EXPECT_EQ(report->files.size(), 1U);
  EXPECT_EQ(report->metadata.size(), 1U);
  const auto base = showVersion(store(), {.reference = "base", .limit = 1});
  ASSERT_TRUE(base);
  EXPECT_EQ(base->tensors.size(), 1U);
  EXPECT_EQ(base->tensorCount, 3U);
  EXPECT_FALSE(base->dependants.empty());
}

TEST_F(Library, TellsItsHistory) {
  const auto all = versionLog(store(), {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->rows.size(), 4U);
  const auto one = versionLog(store(), {.name = "sst2", .limit = 1});
  ASSERT_TRUE(one);
  ASSERT_EQ(one->rows.size(), 1U);
  EXPECT_EQ(one->rows[0].version.label(), "sst2:v2");
  const auto first = versionLog(store(), {.name = "sst2:v1"});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(first->rows.size(), 1U);
  EXPECT_EQ(first->rows[0].version.label(), "sst2:v1");
  EXPECT_EQ(versionLog(store(), {.name = "nothing"}).error().code, ErrorCode::NotFound);
}

TEST_F(Library, OneVersionIsListedAsAmongAll) {
  const auto all = listVersions(store(), {.allVersions = true});
  ASSERT_TRUE(all);
  for (const ListRow& row : all->rows) {
    const auto one = listedVersion(store(), row.version);
    ASSERT_TRUE(one) << row.version.label();
    EXPECT_EQ(one->version.label(), row.version.label());
    EXPECT_EQ(one->parentLabel, row.parentLabel);
    EXPECT_EQ(one->baseLabel, row.baseLabel);
    EXPECT_EQ(one->versionCount, row.versionCount);
    EXPECT_EQ(one->version.depth, row.version.depth);
    EXPECT_EQ(one->awaited.byteCount, row.awaited.byteCount);
  }
}

TEST_F(Library, ComparesVersionsAndModels) {
  const auto toBase = diffToBase(store(), "sst2:v1", {}, {}, {});
  ASSERT_TRUE(toBase) << toBase.error().message;
  EXPECT_FALSE(toBase->identical);
  EXPECT_EQ(toBase->changedTensors, 2U);
  EXPECT_EQ(toBase->equalTensors, 1U);
  EXPECT_NEAR(toBase->change.changedShare(), 0.3, 0.05);
  EXPECT_GT(toBase->change.distance.value(), 0);
  EXPECT_GT(toBase->tensors[0].maxAbsChange, 0);
  // The same numbers, whether the models are stored or not.
  const auto files = diffModels({.model = base_.get(), .label = "a"},
                                {.model = first_.get(), .label = "b"}, {}, {}, {});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->change.distance, toBase->change.distance);
  EXPECT_EQ(files->change.changedShare(), toBase->change.changedShare());
  EXPECT_FALSE(files->tensors[0].storedBytesA);
  const auto same = diffModels({.store = &store(), .reference = "sst2:v1"},
                               {.model = first_.get(), .label = "file"}, {}, {}, {});
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->identical);
  EXPECT_EQ(same->changedTensors, 0U);
  EXPECT_EQ(diffToBase(store(), "base", {}, {}, {}).error().code, ErrorCode::InvalidArgument);
}

TEST_F(Library, HidesSmallChanges) {
  const auto report = diffToBase(store(), "sst2:v1", {.threshold = 0.9}, {}, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->tensors.empty());
  EXPECT_EQ(report->hiddenTensors, 2U);
}

TEST_F(Library, TagsVersions) {
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v1", .tag = "prod", .note = "ready"}));
  EXPECT_FALSE(addTag(store(), {.reference = "sst2:v1", .tag = "prod"})->changed);
  const auto refused = addTag(store(), {.reference = "sst2:v2", .tag = "prod"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  const auto moved = addTag(store(), {.reference = "sst2", .tag = "prod", .move = true});
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->movedFrom, "sst2:v1");
  EXPECT_EQ(resolved("sst2:prod"), "sst2:v2");
  ASSERT_TRUE(addTag(store(), {.reference = "ner", .tag = "prod"}));
  EXPECT_EQ(listTags(store(), "")->size(), 2U);
  EXPECT_EQ(listTags(store(), "ner")->size(), 1U);
  ASSERT_TRUE(removeTag(store(), "ner:prod"));
  EXPECT_EQ(removeTag(store(), "ner:prod").error().code, ErrorCode::NotFound);
  EXPECT_EQ(removeTag(store(), "ner:v1").error().code, ErrorCode::InvalidArgument);
}

TEST_F(Library, RemovesWhatOthersNeed) {
  const auto removed = removeVersions(store(), {.references = {"base"}});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->needed.size(), 1U);
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2", "ner"}, .allVersions = true}));
  EXPECT_TRUE(labels({}).empty());
  EXPECT_EQ(listTrash(store())->versions.size(), 4U);
}

TEST_F(Library, BringsVersionsBackFromTheTrash) {
  ASSERT_TRUE(addTag(store(), {.reference = "ner", .tag = "lab"}));
  const auto removed = removeVersions(store(), {.references = {"ner"}});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_GT(removed->freeableBytes, 0U);
  EXPECT_EQ(resolveError("ner"), ErrorCode::NotFound);
  const auto trash = listTrash(store());
  ASSERT_EQ(trash->versions.size(), 1U);
  EXPECT_EQ(trash->versions[0].tags, (Labels{"lab"}));
  EXPECT_EQ(trash->freeableBytes, removed->freeableBytes);
  const auto restored = restoreFromTrash(store(), {"ner:v1"});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(resolved("ner:lab"), "ner:v1");
  EXPECT_TRUE(listTrash(store())->versions.empty());
  EXPECT_TRUE(test::restoredBytes(store(), "ner:lab"));
}

TEST_F(Library, SaysWhatIsInTheTrash) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"ner", "sst2:v2"}}));
  const auto why = [&](const char* reference) {
    return store().resolve(reference).error().message;
  };
  EXPECT_EQ(why("ner"), "ner: ner:v1 is in the trash");
  EXPECT_EQ(why("sst2:v2"), "sst2:v2: is in the trash");
  EXPECT_EQ(why("sst2:v3"), "sst2:v3: sst2 has v1");
  EXPECT_EQ(why("sst2~1"), "sst2~1: it has 1 version; sst2 has v1");
  EXPECT_EQ(resolved("sst2"), "sst2:v1");
  EXPECT_EQ(findRemoved(store().catalog(), "sst2~1"), std::nullopt);
}

TEST_F(Library, KeepsATagThatWasGivenAwayMeanwhile) {
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v2", .tag = "prod"}));
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v2"}}));
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v1", .tag = "prod"}));
  const auto restored = restoreFromTrash(store(), {"sst2"});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->lostTags, (Labels{"sst2:prod"}));
  EXPECT_EQ(resolved("sst2:prod"), "sst2:v1");
  EXPECT_EQ(resolved("sst2"), "sst2:v2");
}

TEST_F(Library, EmptiesTheTrashOfWhatNothingNeeds) {
  const std::size_t before = test::entryCount(storeFolder() / "objects");
  ASSERT_TRUE(removeVersions(store(), {.references = {"ner"}}));
  EXPECT_EQ(test::entryCount(storeFolder() / "objects"), before);
  const auto dry = emptyTrash(store(), {.dryRun = true});
  ASSERT_TRUE(dry);
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->freedBytes, dry->freedBytes);
  EXPECT_GT(emptied->freedBytes, 0U);
  EXPECT_LT(test::entryCount(storeFolder() / "objects"), before);
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  // The number is not given out again.
  EXPECT_EQ(add("ner", *test::makeTuned(*base_, 99)).version.label(), "ner:v2");
}

TEST_F(Library, EmptiesTheTrashOfOneVersionAlone) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"ner", "sst2:v1", "sst2:v2"}}));
  EXPECT_EQ(emptyTrash(store(), {.references = {"base"}}).error().code, ErrorCode::NotFound);
  EXPECT_EQ(emptyTrash(store(), {.references = {"b*"}}).error().code, ErrorCode::NotFound);
  const auto emptied = emptyTrash(store(), {.references = {"sst2:v2"}});
  ASSERT_TRUE(emptied) << emptied.error().message;
  ASSERT_EQ(emptied->versions.size(), 1U);
  EXPECT_EQ(emptied->versions[0].label(), "sst2:v2");
  ASSERT_TRUE(restoreFromTrash(store(), {"ner", "sst2:v1"}));
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  const auto gone = restoreFromTrash(store(), {"sst2:v2"});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, "sst2:v2: is not in the trash; sst2 has v1");
}

TEST_F(Library, KeepsYoungVersionsOfTheTrashWhateverNamesThem) {
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v2", .tag = "prod"}));
  const std::string hash = toHex(store().resolve("sst2:v2")->contentDigest);
  ASSERT_TRUE(removeVersions(store(), {.references = {"ner", "sst2:v2"}}));
  const std::int64_t removed = listTrash(store())->versions.front().removedAt;
  for (const std::string& word :
       Labels{"sst2:v2", "sst2", "sst2~0", "sst2:prod", "@" + hash, "sst2*", "*"}) {
    for (const bool dryRun : {true, false}) {
      const auto emptied = emptyTrash(
          store(), {.removedBeforeSeconds = removed - 60, .references = {word}, .dryRun = dryRun});
      ASSERT_FALSE(emptied) << word;
      EXPECT_EQ(emptied.error().code, ErrorCode::NotFound) << word;
      EXPECT_NE(emptied.error().message.find("is too young"), std::string::npos)
          << emptied.error().message;
    }
  }
  EXPECT_EQ(listTrash(store())->versions.size(), 2U);
  const auto emptied = emptyTrash(
      store(), {.removedBeforeSeconds = removed + 60, .references = {"sst2:prod", "sst2:v2"}});
  ASSERT_TRUE(emptied) << emptied.error().message;
  ASSERT_EQ(emptied->versions.size(), 1U);
  EXPECT_EQ(emptied->versions[0].label(), "sst2:v2");
  ASSERT_EQ(listTrash(store())->versions.size(), 1U);
}

TEST_F(Library, ForetellsThatFormerCodingsGo) {
  const RecodeOptions flat{.reference = "sst2:v2", .baseChoice = RecodeBase::None, .force = true};
  ASSERT_TRUE(recodeVersion(store(), flat, {}, {}));
  const std::uint64_t before = bytesOnDisk();
  const auto told =
      removeVersions(store(), {.references = {"sst2:v2"}, .now = true, .dryRun = true});
  ASSERT_TRUE(told) << told.error().message;
  const auto foretold = removeVersions(store(), {.references = {"sst2:v2"}, .dryRun = true});
  const auto removed = removeVersions(store(), {.references = {"sst2:v2"}});
  ASSERT_TRUE(foretold && removed);
  EXPECT_EQ(storeInfo(store())->trashBytes, told->freeableBytes);
  EXPECT_EQ(listTrash(store())->freeableBytes, told->freeableBytes);
  for (const auto& report : {foretold, removed}) {
    EXPECT_EQ(report->trashBytes, told->freeableBytes);
    EXPECT_EQ(report->freeableBytes, told->freeableBytes);
  }
  const auto dry = emptyTrash(store(), {.dryRun = true});
  ASSERT_TRUE(dry) << dry.error().message;
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied);
  EXPECT_EQ(before - bytesOnDisk(), emptied->freedBytes);
  EXPECT_EQ(dry->freedBytes, emptied->freedBytes);
  EXPECT_EQ(dry->objectCount, emptied->objectCount);
  EXPECT_EQ(told->freeableBytes, emptied->freedBytes);
}

TEST_F(Library, KeepsObjectsThatAnotherVersionShares) {
  EXPECT_EQ(add("copy", *first_).outcome, AddReport::Outcome::Shared);
  ASSERT_TRUE(removeVersions(store(), {.references = {"copy"}, .now = true}));
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  EXPECT_TRUE(listTrash(store())->versions.empty());
}

TEST_F(Library, BringsBackAChildWithoutItsParent) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2", "ner"}, .allVersions = true}));
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}}));
  ASSERT_TRUE(restoreFromTrash(store(), {"ner"}));
  EXPECT_TRUE(test::restoredBytes(store(), "ner"));
  EXPECT_EQ(resolveError("base"), ErrorCode::NotFound);
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied);
  EXPECT_EQ(emptied->versions.size(), 3U);
  ASSERT_EQ(emptied->needed.size(), 1U);
  EXPECT_EQ(emptied->needed[0].label(), "base:v1");
  EXPECT_TRUE(test::restoredBytes(store(), "ner"));
}

}  // namespace
}  // namespace strata
