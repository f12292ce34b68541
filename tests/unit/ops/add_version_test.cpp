#include "core/ops/versions/add_version.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using Outcome = AddReport::Outcome;

class AddVersion : public test::StoreFixture {
 protected:
  AddVersion() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {}

  const std::unique_ptr<test::MemoryModel> base_;
  const std::unique_ptr<test::MemoryModel> tuned_;
};

TEST_F(AddVersion, StoresADifferenceAndGivesItBack) {
  const AddReport imported = import("base", *base_);
  EXPECT_EQ(imported.outcome, Outcome::Stored);
  EXPECT_TRUE(imported.version.isBase());
  const AddReport added = add("sst2", *tuned_, "base");
  EXPECT_EQ(added.version.label(), "sst2:v1");
  EXPECT_EQ(added.parentLabel, "base:v1");
  EXPECT_EQ(added.baseLabel, "base:v1");
  EXPECT_EQ(added.version.originalBytes, tuned_->bytesOf(0).size());
  EXPECT_LT(added.version.storedBytes, added.version.originalBytes / 2);
  EXPECT_EQ(added.version.changedTensors, 2U);
  EXPECT_EQ(added.version.sameTensors, 1U);
  EXPECT_EQ(added.version.newTensors, 0U);
  EXPECT_GT(added.version.relativeChange, 0);
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  EXPECT_TRUE(comesBack("base", *base_));
  reopen();
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
}

TEST_F(AddVersion, LeavesNothingTemporary) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
  EXPECT_EQ(test::readWhole(storeFolder() / "lock"), "");
}

TEST_F(AddVersion, FindsTheBaseThatFits) {
  import("other", *test::makeModel(500));
  import("base", *base_);
  import("third", *test::makeModel(900));
  const AddReport added = add("sst2", *tuned_);
  EXPECT_TRUE(added.baseWasChosen);
  EXPECT_EQ(added.parentLabel, "base:v1");
}

TEST_F(AddVersion, BecomesABaseWhereNothingFits) {
  import("other", *test::makeModel(500));
  const AddReport added = add("sst2", *tuned_);
  EXPECT_TRUE(added.version.isBase());
  EXPECT_FALSE(added.baseWasChosen);
}

TEST_F(AddVersion, SaysWhenNothingChanged) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  const std::size_t entries = test::entryCount(storeFolder() / "objects");
  AddOptions options{.name = "sst2"};
  options.tags = {"prod"};
  const AddReport again = add(*tuned_, options);
  EXPECT_EQ(again.outcome, Outcome::Unchanged);
  EXPECT_EQ(again.version.label(), "sst2:v1");
  EXPECT_EQ(again.version.tags, (std::vector<std::string>{"prod"}));
  EXPECT_EQ(test::entryCount(storeFolder() / "objects"), entries);
}

TEST_F(AddVersion, StoresEqualContentOnce) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  const std::size_t entries = test::entryCount(storeFolder() / "objects");
  const AddReport shared = add("copy", *tuned_);
  EXPECT_EQ(shared.outcome, Outcome::Shared);
  EXPECT_EQ(shared.sharedLabel, "sst2:v1");
  EXPECT_EQ(shared.version.label(), "copy:v1");
  EXPECT_EQ(shared.version.storedBytes, 0U);
  EXPECT_EQ(test::entryCount(storeFolder() / "objects"), entries);
  EXPECT_TRUE(comesBack("copy", *tuned_));
}

TEST_F(AddVersion, TakesTheNewestVersionWhereThatIsNearer) {
  import("base", *base_);
  const auto far = test::makeTuned(*base_, 20, 1.0);
  const auto nearFar = test::makeTuned(*far, 30, 0.01);
  add("sst2", *far, "base");
  EXPECT_EQ(add("sst2", *nearFar).parentLabel, "sst2:v1");
  AddOptions never{.name = "flat"};
  never.baseChoice = BaseChoice::Reference;
  never.base = "base";
  add(*test::makeTuned(*base_, 40, 1.0), never);
  never.chain = ChainPolicy::Never;
  EXPECT_EQ(add(*test::makeTuned(*base_, 41, 1.0), never).parentLabel, "base:v1");
}

TEST_F(AddVersion, KeepsChainsShort) {
  import("base", *base_);
  AddOptions options{.name = "run"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "base";
  options.chain = ChainPolicy::Always;
  auto model = test::makeTuned(*base_, 100, 0.01);
  std::uint32_t deepest = 0;
  for (unsigned i = 0; i < 11; ++i) {
    deepest = std::max(deepest, add(*model, options).version.depth);
    ASSERT_TRUE(comesBack("run", *model)) << i;
    model = test::makeTuned(*model, 200 + i, 0.01);
  }
  EXPECT_EQ(deepest, kMaxChainDepth);
}

TEST_F(AddVersion, MeasuresWithoutWriting) {
  import("base", *base_);
  const std::size_t entries = test::entryCount(storeFolder());
  AddOptions options{.name = "sst2"};
  options.dryRun = true;
  const AddReport dry = add(*tuned_, options);
  EXPECT_EQ(dry.outcome, Outcome::DryRun);
  EXPECT_EQ(dry.version.label(), "sst2:v1");
  EXPECT_EQ(test::entryCount(storeFolder()), entries);
  EXPECT_FALSE(store().resolve("sst2"));
  const AddReport real = add("sst2", *tuned_);
  EXPECT_EQ(dry.version.storedBytes, real.version.storedBytes);
  EXPECT_EQ(dry.version.contentDigest, real.version.contentDigest);
}

TEST_F(AddVersion, RefusesBadNamesAndBases) {
  import("base", *base_);
  const std::size_t entries = test::entryCount(storeFolder());
  for (const std::string& name : {std::string(""), std::string("a//b"), std::string(300, 'x'),
                                  std::string("\xFF"), std::string("..")}) {
    const auto refused = addVersion(store(), *tuned_, {.name = name}, {}, {});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  }
  AddOptions options{.name = "sst2"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "nowhere";
  EXPECT_EQ(addVersion(store(), *tuned_, options, {}, {}).error().code, ErrorCode::NotFound);
  options.base = "base";
  options.tags = {"v3"};
  EXPECT_EQ(addVersion(store(), *tuned_, options, {}, {}).error().code, ErrorCode::InvalidArgument);
  options.tags = {};
  options.note = "\xFF";
  EXPECT_EQ(addVersion(store(), *tuned_, options, {}, {}).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(test::entryCount(storeFolder()), entries);
}

TEST_F(AddVersion, LeavesTheStoreAsItWasWhenCancelled) {
  import("base", *base_);
  const std::size_t entries = test::entryCount(storeFolder());
  std::stop_source source;
  source.request_stop();
  const auto cancelled = addVersion(store(), *tuned_, {.name = "sst2"}, source.get_token(), {});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(test::entryCount(storeFolder()), entries);
  EXPECT_EQ(listVersions(store(), {})->rows.size(), 1U);
}

TEST_F(AddVersion, IsRefusedWhileAnotherWriterWorks) {
  const auto lock = store().lock("test");
  ASSERT_TRUE(lock);
  store().setLockWait({.longest = std::chrono::milliseconds(0)});
  const auto refused = addVersion(store(), *tuned_, {.name = "sst2"}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::StoreLocked);
}

TEST_F(AddVersion, EncodesWithoutTheLock) {
  import("base", *base_);
  bool isLocked = false;
  bool isSeen = false;
  const auto watch = [&](const Progress& progress) {
    if (progress.phase != "encoding") return;
    isSeen = true;
    isLocked = isLocked || readLock(storeFolder() / "lock").held;
  };
  ASSERT_TRUE(addVersion(store(), *tuned_, {.name = "sst2"}, {}, watch));
  EXPECT_TRUE(isSeen);
  EXPECT_FALSE(isLocked);
}

TEST_F(AddVersion, GoesOnBesideOthers) {
  import("base", *base_);
  constexpr unsigned kWriters = 8;
  std::vector<std::unique_ptr<test::MemoryModel>> models;
  for (unsigned i = 0; i < kWriters; ++i) models.push_back(test::makeTuned(*base_, 100 + i));
  std::vector<std::string> failures(kWriters);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kWriters; ++i) {
      threads.emplace_back([&, i] {
        const auto own = Store::open(storeFolder());
        const auto added = addVersion(**own, *models[i], {.name = "run"}, {}, {});
        if (!added) failures[i] = added.error().message;
      });
    }
  }
  EXPECT_EQ(failures, std::vector<std::string>(kWriters));
  EXPECT_EQ(store().catalog().versionsOf("run")->size(), kWriters);
  EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
  for (const auto& model : models) {
    const AddReport again = add("copy", *model);
    EXPECT_EQ(again.outcome, Outcome::Shared);
    EXPECT_TRUE(comesBack("copy", *model));
  }
}

TEST_F(AddVersion, SaysWhenAnotherWriterWasFirst) {
  import("base", *base_);
  const auto other = Store::open(storeFolder());
  bool isFirst = true;
  std::size_t entries = 0;
  const auto beFaster = [&](const Progress&) {
    if (!std::exchange(isFirst, false)) return;
    std::jthread([&] {
      EXPECT_TRUE(addVersion(**other, *tuned_, {.name = "sst2"}, {}, {}));
    }).join();
    entries = test::entryCount(storeFolder() / "objects");
  };
  const auto added = addVersion(store(), *tuned_, {.name = "sst2"}, {}, beFaster);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->outcome, Outcome::Unchanged);
  EXPECT_EQ(added->version.label(), "sst2:v1");
  EXPECT_EQ(test::entryCount(storeFolder() / "objects"), entries);
  EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
}

TEST_F(AddVersion, EncodesAgainWhereItsParentIsGone) {
  import("base", *base_);
  const auto other = Store::open(storeFolder());
  bool isFirst = true;
  const auto takeAway = [&](const Progress&) {
    if (!std::exchange(isFirst, false)) return;
    std::jthread([&] {
      EXPECT_TRUE(removeVersions(**other, {.references = {"base"}, .now = true}));
    }).join();
  };
  const auto added = addVersion(store(), *tuned_, {.name = "sst2"}, {}, takeAway);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_TRUE(added->version.isBase());
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(AddVersion, RemovesWhatAnEncoderLeftThatDied) {
  import("base", *base_);
  const auto folder = storeFolder() / "tmp" / "add-0123456789abcdef";
  std::filesystem::create_directory(folder);
  test::writeWhole(folder / "object-1.tmp", "half a pack");
  test::writeWhole(folder.string() + ".lock", "");
  const auto living = StagedObjects::make(storeFolder());
  ASSERT_TRUE(living);
  ASSERT_TRUE(store().lock("test"));
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 2U);
}

TEST_F(AddVersion, KeepsWhatPeopleSay) {
  AddOptions options{.name = "base"};
  options.baseChoice = BaseChoice::None;
  options.note = "first";
  options.license = "MIT";
  options.sourceUrl = "hf://org/repo";
  options.tags = {"prod", "best"};
  add(*base_, options);
  const auto entry = store().resolve("base:prod");
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->note, "first");
  EXPECT_EQ(entry->license, "MIT");
  EXPECT_EQ(entry->sourceUrl, "hf://org/repo");
  EXPECT_EQ(entry->tags, (std::vector<std::string>{"best", "prod"}));
}

TEST_F(AddVersion, ChecksOptionsBeforeItLooksForTheContent) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  AddOptions options{.name = "sst2"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "nosuch";
  const auto unknownBase = addVersion(store(), *tuned_, options, {}, {});
  ASSERT_FALSE(unknownBase);
  EXPECT_EQ(unknownBase.error().code, ErrorCode::NotFound);
  options.base = "base";
  options.codec = "foo";
  const auto unknownCodec = addVersion(store(), *tuned_, options, {}, {});
  ASSERT_FALSE(unknownCodec);
  EXPECT_EQ(unknownCodec.error().code, ErrorCode::InvalidArgument);
}

TEST_F(AddVersion, GivesNoteAndTagsToWhatIsHereAlready) {
  import("base", *base_);
  AddOptions options{.name = "sst2"};
  options.tags = {"prod"};
  options.note = "first";
  add(*tuned_, options);
  const auto next = test::makeTuned(*base_, 20);
  options.note.clear();
  const AddReport moved = add(*next, options);
  ASSERT_EQ(moved.movedTags.size(), 1U);
  EXPECT_EQ(moved.movedTags[0].tag, "sst2:prod");
  EXPECT_EQ(moved.movedTags[0].from, "sst2:v1");
  options.note = "second";
  options.tags = {"best"};
  const AddReport noted = add(*next, options);
  EXPECT_EQ(noted.outcome, Outcome::Unchanged);
  EXPECT_TRUE(noted.hasNewNote);
  EXPECT_EQ(noted.formerNote, "");
  EXPECT_TRUE(noted.movedTags.empty());
  EXPECT_FALSE(add(*next, options).hasNewNote);
  reopen();
  const auto entry = store().resolve("sst2:best");
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->label(), "sst2:v2");
  EXPECT_EQ(entry->note, "second");
  EXPECT_EQ(store().resolve("sst2:v1")->note, "first");
}

TEST_F(AddVersion, GivesSourceAndLicenseToWhatIsHereWithout) {
  import("base", *base_);
  AddOptions options{.name = "base"};
  options.baseChoice = BaseChoice::None;
  options.isNewBase = true;
  options.sourceUrl = "https://example.org/base.onnx";
  options.license = "mit";
  options.dryRun = true;
  EXPECT_TRUE(add(*base_, options).hasNewSource);
  EXPECT_EQ(store().resolve("base")->sourceUrl, "");
  options.dryRun = false;
  EXPECT_TRUE(add(*base_, options).hasNewSource);
  reopen();
  EXPECT_EQ(store().resolve("base")->sourceUrl, options.sourceUrl);
  EXPECT_EQ(store().refs().readVersion("base", 1)->license, "mit");
  // What it says already stays.
  options.sourceUrl = "https://example.org/other.onnx";
  EXPECT_FALSE(add(*base_, options).hasNewSource);
  EXPECT_EQ(store().resolve("base")->sourceUrl, "https://example.org/base.onnx");
}

TEST_F(AddVersion, CountsATensorOfOneElementAsChanged) {
  const std::string words = test::randomFloats(4096, 1);
  const auto modelOf = [&](std::string scale) {
    auto model = std::make_unique<test::MemoryModel>();
    model->addFile("model.safetensors", "header",
                   {{"weight", ElementType::F32, {64, 64}, words},
                    {"scale", ElementType::F32, {1}, std::move(scale)}});
    return model;
  };
  import("base", *modelOf({"\0\0\0\x40", 4}));
  const AddReport added = add("tuned", *modelOf({"\0\0\x20\x40", 4}), "base");
  EXPECT_EQ(added.version.changedTensors, 1U);
  EXPECT_EQ(added.version.sameTensors, 1U);
  EXPECT_EQ(added.version.newTensors, 0U);
}

TEST_F(AddVersion, TakesAnotherNoteLater) {
  import("base", *base_);
  const auto first = editNote(store(), {.reference = "base", .text = "passed"});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->hasChanged);
  EXPECT_FALSE(editNote(store(), {.reference = "base:v1", .text = "passed"})->hasChanged);
  EXPECT_EQ(editNote(store(), {.reference = "base"})->former, "passed");
  ASSERT_TRUE(editNote(store(), {.reference = "base", .text = "last"}));
  EXPECT_FALSE(editNote(store(), {.reference = "base", .text = "\xff"}));
  reopen();
  EXPECT_EQ(store().resolve("base")->note, "last");
  EXPECT_EQ(store().refs().readVersion("base", 1)->note, "last");
}

TEST_F(AddVersion, SaysThatABaseHasNothingOfTheModel) {
  import("base", *base_);
  import("other", *test::makeModel(500));
  const AddReport against = add("sst2", *tuned_, "other");
  ASSERT_TRUE(against.misfit);
  EXPECT_EQ(against.misfit->base, "other:v1");
  EXPECT_EQ(against.misfit->better, "base:v1");
  EXPECT_FALSE(add("next", *test::makeTuned(*base_, 20), "base").misfit);
}

TEST_F(AddVersion, ImportsUnderAFreeNameOnly) {
  const auto import = [&](const test::MemoryModel& model, const std::string& name) {
    return importBase(store(), model, {.name = name}, {}, {});
  };
  ASSERT_TRUE(import(*base_, "base"));
  const auto again = import(*base_, "base");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->outcome, Outcome::Unchanged);
  const auto other = import(*tuned_, "base");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidArgument);
  add("sst2", *tuned_, "base");
  EXPECT_FALSE(import(*tuned_, "sst2"));
  EXPECT_EQ(store().catalog().versions()->size(), 2U);
}

TEST_F(AddVersion, ImportsInFullWhatIsHereAsADifference) {
  import("base", *base_);
  add("sst2", *tuned_, "base");
  const auto full = importBase(store(), *tuned_, {.name = "whole"}, {}, {});
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->outcome, Outcome::Stored);
  EXPECT_TRUE(full->version.isBase());
  EXPECT_FALSE(store().resolve("sst2")->isBase());
  EXPECT_TRUE(comesBack("whole", *tuned_));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  const auto shared = importBase(store(), *tuned_, {.name = "again"}, {}, {});
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_EQ(shared->outcome, Outcome::Shared);
  EXPECT_EQ(shared->sharedLabel, "whole:v1");
}

TEST_F(AddVersion, KeepsRawBytesOnRequest) {
  const auto report = importBase(store(), *base_, {.name = "base", .raw = true}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(report->version.storedBytes, base_->bytesOf(0).size());
  EXPECT_TRUE(comesBack("base", *base_));
}

}  // namespace
}  // namespace strata
