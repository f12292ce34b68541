#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A folder that comes into the place of a ref after a command has looked there.
class LateFolders : public test::MissingRef {
 protected:
  /// Runs `command`, and makes a folder at `place` once the command has written `change.json`,
  /// which is before its change of the catalog.
  Result<void> runWithFolderAt(const fs::path& place,
                               const std::function<Result<void>()>& command) {
    const auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
    EXPECT_TRUE(catalog);
    std::atomic<bool> isHeld = false;
    std::atomic<bool> isDone = false;
    std::thread other([&] {
      const auto held = (*catalog)->transact([&]() -> Result<void> {
        isHeld = true;
        isHeld.notify_all();
        while (!isDone && !fs::exists(store().refs().changePath())) std::this_thread::yield();
        fs::create_directories(place);
        return {};
      });
      EXPECT_TRUE(held);
    });
    isHeld.wait(false);
    Result<void> done = command();
    isDone = true;
    other.join();
    return done;
  }

  /// The command says so, and what it began is done once the folder is gone.
  void expectNamed(const fs::path& place, const std::function<Result<void>()>& command) {
    const Result<void> done = runWithFolderAt(place, command);
    ASSERT_FALSE(done) << place;
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
    EXPECT_NE(done.error().message.find(place.string() + ": is a folder"), std::string::npos)
        << done.error().message;
    EXPECT_FALSE(store().lock("test"));
    fs::remove(place);
    settle();
    EXPECT_TRUE(verify().sound()) << place;
  }

  template <typename Report>
  static Result<void> outcomeOf(const Result<Report>& report) {
    return report ? Result<void>() : fail(report.error());
  }
};

TEST_F(LateFolders, AreNamedByTheCommandThatMeetsThem) {
  const RefFolder& refs = store().refs();
  expectNamed(refs.tagPath("sst2", "late"),
              [&] { return outcomeOf(addTag(store(), {.reference = "sst2:v1", .tag = "late"})); });
  EXPECT_EQ(store().resolve("sst2:late")->label(), "sst2:v1");
  expectNamed(refs.versionPath("sst2", 1, Place::Trash),
              [&] { return outcomeOf(removeVersions(store(), {.references = {"sst2"}})); });
  EXPECT_FALSE(store().resolve("sst2"));
  expectNamed(refs.versionPath("sst2", 1),
              [&] { return outcomeOf(restoreFromTrash(store(), {"sst2"})); });
  EXPECT_TRUE(comesBack("sst2:late", *tuned_));
}

/// A rename could neither be finished nor taken back then, and no other command could write.
TEST_F(LateFolders, WhereARenameWouldWriteKeepItFromBeginning) {
  const RefFolder& refs = store().refs();
  for (const fs::path& place :
       {refs.versionPath("mood", 1), refs.versionPath("mood", 1, Place::Trash),
        refs.tagPath("mood", "prod"), refs.formerNamePath("mood"), refs.lastNumberPath("mood"),
        refs.lastNumberPath("sst2")}) {
    fs::create_directories(place);
    const auto report = renameVersions(store(), {.name = "sst2", .newName = "mood"});
    EXPECT_FALSE(report) << place;
    EXPECT_TRUE(addTag(store(), {.reference = "base:v1", .tag = "other", .move = true})) << place;
    EXPECT_TRUE(fs::is_directory(place));
    fs::remove(place);
    EXPECT_TRUE(verify().sound()) << place;
  }
  ASSERT_TRUE(renameVersions(store(), {.name = "sst2", .newName = "mood"}));
  EXPECT_TRUE(comesBack("mood:prod", *tuned_));
}

}  // namespace
}  // namespace strata
