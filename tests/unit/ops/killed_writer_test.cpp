#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// A work that a child process does until it is killed: this program again, with one of the
/// disabled tests below. It says by one byte each that it begins and what it finished, so that the
/// time it takes to start does not count.
class Child {
 public:
  /// How much the child finished before it was killed: `delay` after it had begun and finished
  /// `awaited` pieces.
  static std::size_t runAndKill(const std::string& work, const std::filesystem::path& store,
                                unsigned round, std::chrono::microseconds delay,
                                std::size_t awaited = 0) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return 0;
    const std::string filter = "--gtest_filter=KilledWriterChild.DISABLED_" + work;
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDIN_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::setenv("STRATA_TEST_STORE", store.c_str(), 1);
      ::setenv("STRATA_TEST_ROUND", std::to_string(round).c_str(), 1);
      ::execl("/proc/self/exe", "child", filter.c_str(), "--gtest_also_run_disabled_tests",
              nullptr);
      ::_exit(1);
    }
    ::close(ends[1]);
    char byte = 0;
    std::size_t said = 0;
    while (said <= awaited && ::read(ends[0], &byte, 1) == 1) ++said;
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &byte, 1) == 1) ++said;
    ::close(ends[0]);
    EXPECT_GT(said, awaited) << "the child ended early";
    return said > 0 ? said - 1 : 0;
  }

  /// In the child.
  static std::filesystem::path store() { return std::getenv("STRATA_TEST_STORE"); }
  static unsigned round() {
    return static_cast<unsigned>(std::stoul(std::getenv("STRATA_TEST_ROUND")));
  }
  static void begins() { EXPECT_EQ(::write(STDIN_FILENO, "b", 1), 1); }
  static void finished() { EXPECT_EQ(::write(STDIN_FILENO, "x", 1), 1); }
};

TEST(KilledWriterChild, DISABLED_Adds) {
  const auto opened = Store::open(Child::store());
  ASSERT_TRUE(opened);
  Child::begins();
  const auto base = test::makeModel(1, 2000);
  for (unsigned i = 0; i < 40; ++i) {
    const auto model = test::makeTuned(*base, 1000 * Child::round() + 10 * i);
    AddOptions options;
    options.name = "run";
    if (addVersion(**opened, *model, options, {}, {})) Child::finished();
  }
}

TEST(KilledWriterChild, DISABLED_Removes) {
  const auto opened = Store::open(Child::store());
  ASSERT_TRUE(opened);
  Child::begins();
  const std::string reference = "run:v" + std::to_string(Child::round() + 1);
  if (removeVersions(**opened, {.references = {reference}})) Child::finished();
}

TEST(KilledWriterChild, DISABLED_Renames) {
  const auto opened = Store::open(Child::store());
  ASSERT_TRUE(opened);
  Child::begins();
  const std::string names[] = {"run", "walk"};
  const unsigned from = (*opened)->resolve("run") ? 0 : 1;
  for (unsigned i = from; i < from + 40; ++i) {
    if (renameVersions(**opened, {.name = names[i % 2], .newName = names[(i + 1) % 2]})) {
      Child::finished();
    }
  }
}

TEST(KilledWriterChild, DISABLED_Collects) {
  const auto opened = Store::open(Child::store());
  ASSERT_TRUE(opened);
  Child::begins();
  if (collectGarbage(**opened, {.dryRun = false}, {})) Child::finished();
}

TEST(KilledWriterChild, DISABLED_Repairs) {
  const auto opened = Store::open(Child::store());
  ASSERT_TRUE(opened);
  Child::begins();
  AddOptions options;
  options.name = "base";
  options.codec = Child::round() % 2 == 0 ? "raw" : "auto";
  if (addVersion(**opened, *test::makeModel(1, 2000), options, {}, {})) Child::finished();
}

class KilledWriter : public test::StoreFixture {
 protected:
  void expectSound(VerifyOptions::Level level, unsigned round) {
    VerifyOptions options;
    options.level = level;
    const auto verified = verifyStore(store(), options, {}, {});
    ASSERT_TRUE(verified) << verified.error().message;
    for (const Damage& damage : verified->damages) {
      ADD_FAILURE() << "round " << round << ": " << damage.path << " " << damage.reason;
    }
  }

  std::size_t runCount() {
    const auto listed = store().catalog().versionsOf("run");
    EXPECT_TRUE(listed);
    return listed ? listed->size() : 0;
  }
};

/// Kills come when time says so. On a busy machine it may take more of them to meet one at work.
bool isGoingOn(unsigned round, unsigned atLeast, std::size_t killedAtWork) {
  return round < atLeast || (killedAtWork == 0 && round < 20 * atLeast);
}

TEST_F(KilledWriter, LosesNothingThatItReported) {
  import("base", *test::makeModel(1, 2000));
  std::mt19937 random(42);
  std::size_t reported = 0;
  std::size_t killedAtWork = 0;
  for (unsigned round = 0; isGoingOn(round, 25, killedAtWork); ++round) {
    store_.reset();
    const std::chrono::microseconds delay(random() % 30'000);
    reported += Child::runAndKill("Adds", storeFolder(), round, delay, round % 3);
    reopen();
    EXPECT_GE(runCount(), reported) << "round " << round;
    if (readLock(storeFolder() / "lock").owner) ++killedAtWork;
    expectSound(VerifyOptions::Level::Rebuild, round);
    // The next writer settles what was left.
    ASSERT_TRUE(store().lock("test")) << "round " << round;
    EXPECT_GE(runCount(), reported) << "round " << round;
    reported = runCount();
    expectSound(VerifyOptions::Level::Rebuild, round);
    EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
  }
  EXPECT_GT(reported, 0U);
  EXPECT_GT(killedAtWork, 0U);
  // What the killed ones left of objects goes, and nothing else.
  EXPECT_TRUE(collectGarbage(store(), {.dryRun = false, .unnamedToo = true}, {}));
  EXPECT_EQ(store().objects().list()->size(), store().catalog().objects()->size());
  expectSound(VerifyOptions::Level::Rebuild, 25);
}

TEST_F(KilledWriter, CollectsOnlyGarbage) {
  import("base", *test::makeModel(1, 2000));
  add("run", *test::makeTuned(*test::makeModel(1, 2000), 7), "base");
  const std::size_t needed = store().objects().list()->size();
  std::mt19937 random(45);
  std::size_t cutShort = 0;
  for (unsigned round = 0; round < 12; ++round) {
    for (unsigned i = 0; i < 150; ++i) {
      const auto object = store().objects().create();
      ASSERT_TRUE(object);
      const std::string text = "left " + std::to_string(i);
      ASSERT_TRUE((*object)->append(std::as_bytes(std::span(text))));
      ASSERT_TRUE((*object)->commit());
    }
    store_.reset();
    const std::chrono::microseconds delay(random() % 6'000);
    const bool isReported = Child::runAndKill("Collects", storeFolder(), round, delay) > 0;
    reopen();
    const std::size_t left = store().objects().list()->size();
    if (isReported) {
      EXPECT_EQ(left, needed);
    }
    if (left > needed) ++cutShort;
    ASSERT_TRUE(store().lock("test")) << "round " << round;
    expectSound(VerifyOptions::Level::Rebuild, round);
  }
  EXPECT_GT(cutShort, 0U);
  const auto rest = collectGarbage(store(), {.dryRun = false}, {});
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(store().objects().list()->size(), needed);
}

TEST_F(KilledWriter, RepairsOrLeavesADamagedBase) {
  const auto base = test::makeModel(1, 2000);
  const auto tuned = test::makeTuned(*base, 10);
  import("base", *base);
  add("tuned", *tuned, "base");
  std::mt19937 random(44);
  std::size_t finished = 0;
  std::size_t killedAtWork = 0;
  for (unsigned round = 0; isGoingOn(round, 24, killedAtWork); ++round) {
    const auto objects = store().catalog().objectsOf(store().resolve("base")->manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (!object.isManifest) std::filesystem::remove(store().objects().pathOf(object.digest));
    }
    store_.reset();
    // Over all sizes, for the work may take a millisecond or a hundred; some come to their end.
    const std::chrono::microseconds delay((200 + random() % 200) << random() % 10);
    finished += Child::runAndKill("Repairs", storeFolder(), round, delay, round % 6 == 5 ? 1 : 0);
    if (readLock(storeFolder() / "lock").owner) ++killedAtWork;
    reopen();
    AddOptions options;
    options.name = "base";
    EXPECT_EQ(add(*base, options).version.label(), "base:v1") << "round " << round;
    expectSound(VerifyOptions::Level::Rebuild, round);
    EXPECT_TRUE(comesBack("tuned", *tuned)) << "round " << round;
    EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
  }
  EXPECT_GE(finished, 4U);
  EXPECT_GT(killedAtWork, 0U);
}

TEST_F(KilledWriter, LeavesRemovalsWhole) {
  const auto base = test::makeModel(1, 200);
  import("base", *base);
  for (unsigned i = 0; i < 12; ++i) {
    AddOptions options;
    options.name = "run";
    options.chain = ChainPolicy::Never;
    options.tags = {"t" + std::to_string(i)};
    add(*test::makeTuned(*base, 10 * i + 50), options);
  }
  std::mt19937 random(43);
  for (unsigned round = 0; round < 12; ++round) {
    store_.reset();
    const std::chrono::microseconds delay(random() % 20'000);
    const bool isReported = Child::runAndKill("Removes", storeFolder(), round, delay) > 0;
    reopen();
    expectSound(VerifyOptions::Level::Quick, round);
    ASSERT_TRUE(store().lock("test"));
    expectSound(VerifyOptions::Level::Quick, round);
    const auto live = store().catalog().versions(Place::Live);
    const auto trashed = store().catalog().versions(Place::Trash);
    ASSERT_TRUE(live && trashed);
    EXPECT_EQ(live->size() + trashed->size(), 13U);
    const auto removed = store().catalog().version("run", round + 1, Place::Trash);
    EXPECT_TRUE(removed->has_value() || !isReported);
    for (const auto* list : {&*live, &*trashed}) {
      for (const VersionEntry& version : *list) {
        if (version.name != "run") continue;
        EXPECT_EQ(version.tags.size(), 1U) << version.label();
      }
    }
  }
}

TEST_F(KilledWriter, LeavesEachVersionUnderOneName) {
  const auto base = test::makeModel(1, 200);
  import("base", *base);
  for (unsigned i = 0; i < 6; ++i) {
    AddOptions options;
    options.name = "run";
    options.chain = ChainPolicy::Never;
    options.tags = {"t" + std::to_string(i)};
    add(*test::makeTuned(*base, 10 * i + 50), options);
  }
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v6", "run:v5"}}));
  std::mt19937 random(46);
  std::size_t killedAtWork = 0;
  for (unsigned round = 0; isGoingOn(round, 20, killedAtWork); ++round) {
    store_.reset();
    const std::chrono::microseconds delay(random() % 20'000);
    Child::runAndKill("Renames", storeFolder(), round, delay);
    reopen();
    if (readLock(storeFolder() / "lock").owner) ++killedAtWork;
    // Readers find all of it before anybody settles what was left.
    const std::string name = store().resolve("run") ? "run" : "walk";
    for (const char* number : {"1", "2", "3", "4"}) {
      const auto restored = test::restoredBytes(store(), name + ":v" + number);
      EXPECT_TRUE(restored) << "round " << round << ": " << restored.error().message;
    }
    ASSERT_TRUE(store().lock("test")) << "round " << round;
    expectSound(VerifyOptions::Level::Rebuild, round);
    const std::string settled = store().resolve("run") ? "run" : "walk";
    const std::string other = settled == "run" ? "walk" : "run";
    EXPECT_EQ(store().refs().versionNumbers(settled)->size(), 4U) << "round " << round;
    EXPECT_EQ(store().refs().versionNumbers(settled, Place::Trash)->size(), 2U)
        << "round " << round;
    EXPECT_EQ(store().refs().versionNumbers(other)->size(), 0U) << "round " << round;
    EXPECT_EQ(store().refs().versionNumbers(other, Place::Trash)->size(), 0U) << "round " << round;
    EXPECT_EQ(store().catalog().versionsOf(settled)->size(), 4U) << "round " << round;
    for (const auto place : {Place::Live, Place::Trash}) {
      const auto versions = store().catalog().versionsOf(settled, place);
      for (const VersionEntry& version : versions.value()) {
        EXPECT_EQ(version.tags.size(), 1U) << "round " << round << ": " << version.label();
      }
    }
  }
  EXPECT_GT(killedAtWork, 0U);
}

}  // namespace
}  // namespace strata
