#include "core/store/store_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace strata {
namespace {

TEST(StoreLock, NamesItsOwner) {
  const test::TempFolder folder;
  const auto first = StoreLock::acquire(folder / "lock", "add");
  ASSERT_TRUE(first) << first.error().message;
  const auto second = StoreLock::acquire(folder / "lock", "remove");
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

TEST(StoreLock, IsFreeAfterRelease) {
  const test::TempFolder folder;
  { ASSERT_TRUE(StoreLock::acquire(folder / "lock", "add")); }
  EXPECT_FALSE(readLock(folder / "lock").held);
  EXPECT_FALSE(readLock(folder / "lock").owner);
  const auto next = StoreLock::acquire(folder / "lock", "add");
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->previousOwnerDied());
}

TEST(StoreLock, TellsOfAnOwnerThatWasKilled) {
  const test::TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = StoreLock::acquire(folder / "lock", "add");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(readLock(folder / "lock").held);
  ASSERT_TRUE(readLock(folder / "lock").owner);
  EXPECT_EQ(readLock(folder / "lock").owner->processId, child);
  const auto next = StoreLock::acquire(folder / "lock", "add");
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->previousOwnerDied());
}

TEST(StoreLock, PassesAMarkOn) {
  const test::TempFolder folder;
  {
    auto lock = StoreLock::acquire(folder / "lock", "add");
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }
  const auto next = StoreLock::acquire(folder / "lock", "add");
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->previousOwnerDied());
}

}  // namespace
}  // namespace strata
