#include "core/ops/runs/detail/watch_looks.h"

#include <gmock/gmock.h>

#include "core/ops/runs/detail/unstored_copies.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Looks : public test::RunFixture {
 protected:
  /// A model beside which its optimizer may still come.
  CheckpointPlace plain() {
    writeCheckpoint(10);
    const fs::path model = runFolder() / "model_20.safetensors";
    fs::copy_file(checkpoint(10) / "model.safetensors", model);
    return {.path = model, .stamp = stampOf(model)};
  }
  bool isReady(WatchLooks& looks, const CheckpointPlace& place, bool isOnce = false) {
    const auto never = [](std::optional<std::uint64_t>) { return false; };
    return looks.look(place, tools_, isOnce, never).isReady;
  }
};

/// Two looks may be a moment apart, or be those of two threads.
TEST_F(Looks, TakeNothingThatMayGrowBeforeAnIntervalIsOver) {
  const CheckpointPlace place = plain();
  WatchLooks looks(std::chrono::hours(1));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(isReady(looks, place));
  WatchLooks others = looks;
  EXPECT_FALSE(isReady(others, place));
  EXPECT_TRUE(isReady(looks, place, true)) << "there is no later look";
  WatchLooks quick(std::chrono::milliseconds(0));
  EXPECT_FALSE(isReady(quick, place));
  bool isTaken = false;
  for (int i = 0; i < 1'000'000 && !isTaken; ++i) isTaken = isReady(quick, place);
  EXPECT_TRUE(isTaken);
}

class RefusedCopies : public Looks {
 protected:
  void SetUp() override {
    fs::create_directory(memory());
    writeCheckpoint(10);
    own_ = runFolder() / "last.safetensors";
    fs::copy_file(checkpoint(10) / "model.safetensors", own_);
    const auto copied = tier_.copy({.path = own_, .step = 10, .stamp = stampOf(own_)}, tools_, {});
    ASSERT_TRUE(copied) << copied.error().message;
    // The name of the file has no number, which the folder of the copy says.
    ASSERT_EQ(tier_.waiting().size(), 1U);
    copy_ = tier_.waiting().front();
    copy_.place.path = copy_.folder / own_.filename();
  }
  fs::path memory() const { return folder_ / "memory"; }

  MemoryTier tier_{memory(), storeFolder(), "run", 100'000'000};
  UnstoredCopies unstored_{tier_, store(), "run"};
  fs::path own_;
  MemoryTier::Copy copy_;
};

TEST_F(RefusedCopies, GiveWayToTheSameOfTheTrainer) {
  const auto fate = unstored_.ofRefused(copy_, own_, "is refused", {});
  EXPECT_TRUE(fate.isTrainers);
  EXPECT_TRUE(tier_.waiting().empty());
  EXPECT_TRUE(tier_.aside().empty());
}

/// A trainer that writes one name over has another checkpoint there.
TEST_F(RefusedCopies, AreKeptWhereTheTrainerHasAnotherOfTheName) {
  const std::string copied = test::readWhole(own_);
  test::writeWhole(own_, copied + "another one");
  const auto fate = unstored_.ofRefused(copy_, own_, "is refused", {});
  EXPECT_FALSE(fate.isTrainers);
  ASSERT_TRUE(fate.aside);
  EXPECT_THAT(fate.text, HasSubstr("is refused"));
  EXPECT_EQ(test::readWhole(fate.aside->folder / own_.filename()), copied);
}

}  // namespace
}  // namespace strata
