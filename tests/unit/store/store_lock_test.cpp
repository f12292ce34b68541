#include "core/store/store_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/store/store.h"
#include "tests/support/full_disk.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

const LockWait kAtOnce{.longest = std::chrono::milliseconds(0)};

TEST(StoreLock, NamesItsOwner) {
  const test::TempFolder folder;
  const auto first = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(first) << first.error().message;
  const auto second = StoreLock::acquire(folder / "lock", "remove", kAtOnce, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::StoreLocked);
  const std::string& text = second.error().message;
  EXPECT_NE(text.find("locked by PID " + std::to_string(::getpid())), std::string::npos) << text;
  EXPECT_NE(text.find(" add)"), std::string::npos) << text;
  EXPECT_NE(text.find("since 20"), std::string::npos) << text;
  const LockState state = readLock(folder / "lock");
  EXPECT_TRUE(state.held);
  ASSERT_TRUE(state.owner);
  EXPECT_EQ(state.owner->processId, ::getpid());
}

TEST(StoreLock, IsWaitedFor) {
  const test::TempFolder folder;
  auto first = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(first);
  std::vector<std::string> owners;
  const LockWait wait{.longest = std::chrono::hours(1), .onWait = [&](const std::string& owner) {
                        owners.push_back(owner);
                        const StoreLock released = *std::move(first);
                      }};
  const auto second = StoreLock::acquire(folder / "lock", "remove", wait, {});
  ASSERT_TRUE(second) << second.error().message;
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_NE(owners[0].find("PID " + std::to_string(::getpid())), std::string::npos) << owners[0];
}

TEST(Store, IsMadeOnceWhereTwoMakeItAtATime) {
  const test::TempFolder folder;
  std::optional<StoreLock> first = *StoreLock::acquire(folder / "lock", "init", kAtOnce, {});
  std::optional<Result<std::unique_ptr<Store>>> second;
  std::thread thread([&] { second = Store::create(folder.path()); });
  // The second one has seen that there is no store when it makes the folders.
  while (!std::filesystem::exists(folder / "tmp")) std::this_thread::yield();
  test::writeWhole(folder / "catalog.sqlite", "of the first");
  test::writeWhole(folder / "store.toml", "format = 1");
  first.reset();
  thread.join();
  ASSERT_FALSE(*second);
  EXPECT_EQ(second->error().message, folder.path().string() + ": is a store already");
  EXPECT_EQ(test::readWhole(folder / "catalog.sqlite"), "of the first");
  EXPECT_EQ(test::readWhole(folder / "store.toml"), "format = 1");
}

TEST(StoreLock, KeepsTheMarkOfAWriterThatDiedWhereItCannotWrite) {
  const test::TempFolder folder;
  test::writeWhole(folder / "lock", "1\nhost\n0\nstrata add\n");
  {
    const test::FullDisk full(0);
    EXPECT_FALSE(StoreLock::acquire(folder / "lock", "add", kAtOnce, {}));
  }
  const auto lock = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_TRUE(lock->previousOwnerDied());
}

TEST(StoreLock, SaysThatItIsHeldBeforeItWrites) {
  const test::TempFolder folder;
  bool wasEmpty = false;
  const auto lock = StoreLock::acquire(folder / "lock", "add", kAtOnce, {}, [&] {
    const LockState state = readLock(folder / "lock");
    wasEmpty = state.held && !state.owner;
  });
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_TRUE(wasEmpty);
}

TEST(StoreLock, IsWaitedForUntilSomebodyCancels) {
  const test::TempFolder folder;
  const auto first = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(first);
  std::stop_source source;
  const LockWait wait{.longest = std::chrono::hours(1),
                      .onWait = [&](const std::string&) { source.request_stop(); }};
  const auto second = StoreLock::acquire(folder / "lock", "add", wait, source.get_token());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Cancelled);
}

TEST(StoreLock, IsFreeAfterRelease) {
  const test::TempFolder folder;
  { ASSERT_TRUE(StoreLock::acquire(folder / "lock", "add", kAtOnce, {})); }
  EXPECT_FALSE(readLock(folder / "lock").held);
  EXPECT_FALSE(readLock(folder / "lock").owner);
  const auto next = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->previousOwnerDied());
}

TEST(StoreLock, TellsOfAnOwnerThatWasKilled) {
  const test::TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(readLock(folder / "lock").held);
  ASSERT_TRUE(readLock(folder / "lock").owner);
  EXPECT_EQ(readLock(folder / "lock").owner->processId, child);
  const auto next = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->previousOwnerDied());
}

TEST(StoreLock, PassesAMarkOn) {
  const test::TempFolder folder;
  {
    auto lock = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }
  const auto next = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->previousOwnerDied());
}

TEST(StoreLock, LetsNobodyInWhenItsFileIsRemoved) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "refs");
  {
    const auto first = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(first->check());
    std::filesystem::remove(folder / "lock");
    EXPECT_EQ(first->check().error().code, ErrorCode::StoreLocked);
    const auto second = StoreLock::acquire(folder / "lock", "gc", kAtOnce, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::StoreLocked);
    EXPECT_NE(second.error().message.find("lock file was removed"), std::string::npos);
    EXPECT_EQ(first->check().error().code, ErrorCode::StoreLocked);
  }
  const auto next = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_TRUE(next->previousOwnerDied());
}

TEST(StoreLock, TellsOfAFileThatIsMissing) {
  const test::TempFolder folder;
  { ASSERT_TRUE(StoreLock::acquire(folder / "lock", "add", kAtOnce, {})); }
  std::filesystem::remove(folder / "lock");
  const auto next = StoreLock::acquire(folder / "lock", "add", kAtOnce, {});
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->previousOwnerDied());
}

TEST(StoreLock, EmptiesNoFileOfOthers) {
  const test::TempFolder folder;
  const auto mine = folder / "mine";
  test::writeWhole(mine, "precious");
  std::filesystem::create_symlink(mine, folder / "lock");
  EXPECT_FALSE(StoreLock::acquire(folder / "lock", "gc", kAtOnce, {}));
  std::filesystem::remove(folder / "lock");
  std::filesystem::create_hard_link(mine, folder / "lock");
  EXPECT_FALSE(StoreLock::acquire(folder / "lock", "gc", kAtOnce, {}));
  EXPECT_EQ(test::readWhole(mine), "precious");
}

}  // namespace
}  // namespace strata
