#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "core/io/free_space.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/transfer/part_file.h"
#include "core/transfer/remote_version.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// From remotes that are damaged or lie, and after runs that were cut.
class Pull : public test::ExchangeFixture {};

TEST_F(Pull, FetchesADamagedObjectNeverIntoTheStore) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "ner");
  std::string bytes = test::readWhole(pack);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  test::writeWhole(pack, bytes);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "sst2:v1", "sst2:v2"));
  ASSERT_EQ(pulled->failed.size(), 1);
  EXPECT_EQ(pulled->failed[0].label, "ner:v1");
  EXPECT_EQ(pulled->failed[0].error.code, ErrorCode::CorruptData);
  expectSound(*theirs);
}

TEST_F(Pull, DoesNotListWhatLacksAnObject) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  fs::remove(onlyPackOf(*ours, "base"));
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::CorruptData);
  EXPECT_NE(pulled.error().message.find("although it is listed there"), std::string::npos);
  EXPECT_TRUE(theirs->catalog().versions().value().empty());
}

TEST_F(Pull, MendsTheVersionWhoseManifestWasLost) {
  auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const VersionEntry lost = ours->resolve("ner").value();
  fs::remove(ours->objects().pathOf(lost.manifestDigest));
  const fs::path place = ours->folder();
  ours.reset();
  fs::remove(place / "catalog.sqlite");
  ASSERT_TRUE(Store::rebuildCatalog(place, {}, {}));
  ours = Store::open(place).value();
  const auto pulled = pull(*ours, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->completed.size(), 1);
  EXPECT_EQ(pulled->completed[0].label(), "ner:v1");
  EXPECT_EQ(ours->resolve("ner").value().label(), "ner:v1");
  expectSound(*ours);
}

TEST_F(Pull, ListsNothingTwiceAfterOneThatWasKilled) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path place = folder_ / "theirs";
  makeStore("theirs").reset();
  const std::string before = test::readWhole(place / "catalog.sqlite");
  {
    const auto theirs = Store::open(place);
    ASSERT_TRUE(theirs && pull(**theirs, remote_));
  }
  // As if it had been killed after its refs and before its catalog, with the lock's mark left.
  for (const char* end : {"-wal", "-shm"})
    fs::remove(place / (std::string("catalog.sqlite") + end));
  test::writeWhole(place / "catalog.sqlite", before);
  test::writeWhole(place / "lock", "1\nhost\n0\nstrata pull\n");
  const auto theirs = Store::open(place);
  ASSERT_TRUE(theirs);
  const auto pulled = pull(**theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre());
  std::vector<std::string> labels;
  const auto versions = (*theirs)->catalog().versions().value();
  for (const VersionEntry& version : versions) labels.push_back(version.label());
  EXPECT_THAT(labels, ::testing::UnorderedElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
  EXPECT_TRUE((*theirs)->resolve("sst2:prod"));
  expectSound(**theirs);
}

TEST_F(Pull, TellsWhatEachVersionTakesAsItTakesIt) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const RemoteLibrary library = RemoteLibrary::from(remote_.readRefs({}).value());
  const auto expectTold = [&] {
    const auto told = bytesToPull(*theirs, library);
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), library.versions.size());
    for (std::size_t i = 0; i < told->size(); ++i) {
      const std::string label = library.versions[i].ref.label();
      const auto plan = pull(*theirs, remote_, {.references = {label}, .dryRun = true});
      ASSERT_TRUE(plan) << plan.error().message;
      EXPECT_EQ((*told)[i], plan->byteCount) << label;
    }
  };
  expectTold();
  EXPECT_GT(bytesToPull(*theirs, library)->back(), bytesToPull(*theirs, library)->front())
      << "the base comes along";
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"base"}}));
  expectTold();
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"ner"}, .lazy = true}));
  expectTold();
}

TEST_F(Pull, TellsNoSizeOfWhatHasNoBase) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  RefListing listing = remote_.readRefs({}).value();
  std::erase_if(listing.refs, [](const auto& ref) { return ref.first.starts_with("base/"); });
  const RemoteLibrary library = RemoteLibrary::from(listing);
  const auto told = bytesToPull(*makeStore("theirs"), library);
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_FALSE(told->empty());
  for (const auto& one : *told) EXPECT_FALSE(one);
}

TEST_F(Pull, GoesOnWithThePartOfAnEarlierRun) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "base");
  const std::string bytes = test::readWhole(pack);
  const auto theirs = makeStore("theirs");
  fs::create_directories(folder_ / "theirs" / "partial");
  const fs::path part = folder_ / "theirs" / "partial" / (pack.filename().string() + ".part");
  test::writeWhole(part, bytes.substr(0, 1000));
  // What lies there is not asked for again: the remote's copy of it may be gone.
  std::string tail = bytes;
  tail.replace(0, 1000, 1000, 'x');
  test::writeWhole(pack, tail);
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->failed.empty());
  EXPECT_EQ(pulled->keptBytes, 1000);
  EXPECT_FALSE(fs::exists(part));
  expectSound(*theirs);
}

TEST_F(Pull, FetchesAnewWhereThePartIsWrong) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "base");
  const auto theirs = makeStore("theirs");
  fs::create_directories(folder_ / "theirs" / "partial");
  test::writeWhole(folder_ / "theirs" / "partial" / (pack.filename().string() + ".part"),
                   std::string(1000, 'x'));
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->failed.empty());
  expectSound(*theirs);
}

TEST_F(Pull, RefusesAListThatLies) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion ner = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  // Another parent than the manifest's.
  ner.parentDigest = ours->resolve("sst2:v1").value().contentDigest;
  RefPush lie{{{"ner/v1", listing.refs.at("ner/v1"), toRefText(ner)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->failed.size(), 1);
  EXPECT_EQ(pulled->failed[0].error.code, ErrorCode::CorruptData);
  EXPECT_FALSE(theirs->resolve("ner"));
}

TEST_F(Pull, CountsNoBytesModuloTheirType) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion ner = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  // Two packs whose sizes are nothing together.
  for (const char digit : {'a', 'b'}) {
    ner.packs.push_back({digestFromHex(std::string(64, digit)).value(), std::uint64_t{1} << 63U,
                         RemoteObject::Kind::Pack});
  }
  EXPECT_FALSE(parseRemoteVersion("ner/v1", toRefText(ner)));
  ner.packs.resize(ner.packs.size() - 2);
  ner.manifestBytes = std::uint64_t{1} << 32U;
  EXPECT_FALSE(parseRemoteVersion("ner/v1", toRefText(ner)));
  // More than any disk has, if not more than a number holds.
  ner.manifestBytes = 1000;
  for (unsigned i = 0; i < 2000; ++i) {
    ner.packs.push_back({digestFromHex(fmt::format("{:064x}", i)).value(), std::uint64_t{1} << 40U,
                         RemoteObject::Kind::Pack});
  }
  const RefPush lie{{{"ner/v1", listing.refs.at("ner/v1"), toRefText(ner)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_, {.references = {"ner"}});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::CorruptData) << pulled.error().message;
}

/// Changes what the remote lists of a version.
class PullOfLies : public Pull {
 protected:
  PullOfLies() { EXPECT_TRUE(push(*ours_, remote_)); }

  void list(const std::string& key, const std::function<void(RemoteVersion&)>& change) {
    const RefListing listing = remote_.readRefs({}).value();
    RemoteVersion version = parseRemoteVersion(key, listing.refs.at(key)).value();
    change(version);
    const RefPush lie{{{key, listing.refs.at(key), toRefText(version)}}, "lie"};
    ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  }

  /// All versions come but for ner.
  void expectTheOthers(ErrorCode whyNot) {
    const auto theirs = makeStore("theirs");
    const auto pulled = pull(*theirs, remote_);
    ASSERT_TRUE(pulled) << pulled.error().message;
    ASSERT_EQ(pulled->failed.size(), 1U);
    EXPECT_EQ(pulled->failed[0].label, "ner:v1");
    EXPECT_EQ(pulled->failed[0].error.code, whyNot) << pulled->failed[0].error.message;
    EXPECT_EQ(pulled->pulled.size(), 3U);
    expectSound(*theirs);
  }

  const std::unique_ptr<Store> ours_ = makeFullStore("ours");
};

TEST_F(PullOfLies, BringsWhatIsNotListedAsLargerThanTheDisk) {
  list("ner/v1", [](RemoteVersion& ner) { ner.packs.at(0).byteCount = std::uint64_t{1} << 40U; });
  expectTheOthers(ErrorCode::CorruptData);
}

TEST_F(PullOfLies, BringsWhatIsSmallerThanTheDisk) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 40U;
  if (freeBytes(folder_.path()).value() > kBytes) GTEST_SKIP() << "there is room for 1 TB";
  std::error_code status;
  fs::resize_file(onlyPackOf(*ours_, "ner"), kBytes, status);
  if (status) GTEST_SKIP() << "the file system takes no file of 1 TB";
  list("ner/v1", [](RemoteVersion& ner) { ner.packs.at(0).byteCount = kBytes; });
  expectTheOthers(ErrorCode::NoSpace);
}

TEST_F(PullOfLies, BringsAPackThatAnotherVersionListsWrongly) {
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion tuned = parseRemoteVersion("sst2/v1", listing.refs.at("sst2/v1")).value();
  tuned.packs.at(0).byteCount = 5;
  list("ner/v1", [&](RemoteVersion& ner) { ner.packs = tuned.packs; });
  expectTheOthers(ErrorCode::CorruptData);
}

TEST_F(Pull, LetsNobodyElseWriteToItsParts) {
  const mode_t before = ::umask(000);
  const RemoteObject object{sha256({}), 100, RemoteObject::Kind::Pack};
  {
    auto part = PartFile::open(folder_ / "partial", object);
    ASSERT_TRUE(part) << part.error().message;
    const fs::path file = folder_ / "partial" / (toHex(object.digest) + ".part");
    EXPECT_EQ(fs::status(file).permissions() & fs::perms::all, fs::perms(0644));
  }
  ::umask(before);
}

TEST_F(Pull, LeavesOutRefsThatItCannotRead) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  for (const char* name : {"../x/v1", "ner/v7", "a/tags/b", "x"}) {
    const RefPush bad{{{name, std::nullopt, R"({"kind":"version","ref":{"a":1}})"}}, "bad"};
    ASSERT_EQ(remote_.advanceRefs(bad, {}).value(), RefOutcome::Advanced);
  }
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->pulled.size(), 4);
  EXPECT_EQ(pulled->problems.size(), 4);
}

/// What is called `name` here.
std::vector<std::string> labelsHere(const Store& store, const std::string& name) {
  std::vector<std::string> labels;
  const auto versions = store.catalog().versionsOf(name).value();
  for (const VersionEntry& one : versions) {
    labels.push_back(one.label());
  }
  return labels;
}

TEST_F(Pull, BringsNoNameBackThatWasRenamedHere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  ASSERT_TRUE(renameVersions(*ours, {.name = "sst2", .newName = "senti"}));
  const auto dry = pull(*ours, remote_, {.dryRun = true});
  ASSERT_TRUE(dry) << dry.error().message;
  EXPECT_TRUE(dry->pulled.empty());
  const auto pulled = pull(*ours, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->pulled.empty());
  EXPECT_THAT(pulled->problems, ElementsAre(HasSubstr("sst2 was renamed to senti here")));
  EXPECT_TRUE(labelsHere(*ours, "sst2").empty());
  EXPECT_EQ(labelsHere(*ours, "senti").size(), 2U);
  // What others add under the old name comes; the rest stays as it is here.
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 77);
  ASSERT_TRUE(push(*theirs, remote_));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pull(*ours, remote_));
    EXPECT_THAT(labelsHere(*ours, "sst2"), ElementsAre("sst2:v3"));
  }
  // Who asks for it by name gets it.
  ASSERT_TRUE(pull(*ours, remote_, {.references = {"sst2:v1"}}));
  EXPECT_THAT(labelsHere(*ours, "sst2"), ElementsAre("sst2:v1", "sst2:v3"));
  expectSound(*ours);
}

TEST_F(Pull, KnowsANameAgainThatWasRenamedTwice) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  ASSERT_TRUE(renameVersions(*ours, {.name = "sst2", .newName = "senti"}));
  ASSERT_TRUE(renameVersions(*ours, {.name = "senti", .newName = "mood"}));
  const auto pulled = pull(*ours, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->problems, ElementsAre(HasSubstr("sst2 was renamed to mood here")));
  ASSERT_TRUE(renameVersions(*ours, {.name = "mood", .newName = "sst2"}));
  const auto again = pull(*ours, remote_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->problems.empty());
  EXPECT_TRUE(again->pulled.empty());
  EXPECT_EQ(labelsHere(*ours, "sst2").size(), 2U);
}

/// One name or the other, as often as it is renamed, undone and done again.
TEST_F(Pull, TakesVersionsOfARenamedNameForThoseThatAreHere) {
  const auto ours = makeFullStore("ours");
  const auto exchange = [&](std::size_t problems) {
    ASSERT_TRUE(fetchRemote(*ours, remote_, "hub", {}));
    EXPECT_EQ(remoteDifference(*ours, "hub").value()->toPull, 0U);
    const auto pulled = pull(*ours, remote_, {.keptAs = "hub"});
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre());
    EXPECT_EQ(pulled->problems.size(), problems);
    EXPECT_EQ(ours->catalog().versions().value().size(), 4U);
  };
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(renameVersions(*ours, {.name = "sst2", .newName = "senti"}));
  exchange(1);
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  exchange(0);
  ASSERT_TRUE(undoOperation(*ours, {}));
  EXPECT_EQ(labelsHere(*ours, "sst2").size(), 2U);
  exchange(0);
  ASSERT_TRUE(undoOperation(*ours, {.again = true}));
  EXPECT_EQ(labelsHere(*ours, "senti").size(), 2U);
  exchange(0);
  ASSERT_TRUE(renameVersions(*ours, {.name = "senti", .newName = "mood"}));
  exchange(2);
  // A removed one comes out of the trash, as ever, under the name that it has here.
  ASSERT_TRUE(removeVersions(*ours, {.references = {"mood:v2"}}));
  const auto back = pull(*ours, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_THAT(labelsOf(back->pulled), ElementsAre("mood:v2"));
  EXPECT_TRUE(back->pulled.front().wasRemoved);
  EXPECT_EQ(ours->resolve("mood:prod")->number, 2U);
  EXPECT_TRUE(labelsHere(*ours, "sst2").empty());
  EXPECT_TRUE(labelsHere(*ours, "senti").empty());
  exchange(2);
  expectSound(*ours);
}

}  // namespace
}  // namespace strata::hub
