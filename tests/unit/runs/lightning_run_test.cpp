// Checkpoints of one file, as Lightning writes them, with save_last.
#include <gmock/gmock.h>

#include "core/ops/runs/resume_run.h"
#include "core/profile/profile.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class LightningRun : public test::RunFixture {
 protected:
  /// Two steps, and the last one of them again.
  void SetUp() override {
    test::RunFixture::SetUp();
    put("step-3.ckpt", "epoch=1-step=3.ckpt");
    put("step-4.ckpt", "epoch=2-step=4.ckpt");
    put("step-4.ckpt", "last.ckpt");
    // As where the file says it.
    tools_.check = [this, check = tools_.check](const fs::path& path) {
      auto state = check(path);
      if (state && path.filename() == "last.ckpt") state->step = lastStep_;
      return state;
    };
  }
  void put(const std::string& sample, const std::string& name) {
    const fs::path data = fs::path(STRATA_TEST_DATA) / "pytorch" / "1.13";
    fs::copy_file(data / sample, runFolder() / name, fs::copy_options::overwrite_existing);
  }
  void takeInto(const std::string& name) {
    const auto taken =
        takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = runFolder() / name}, {}, {});
    ASSERT_TRUE(taken) << taken.error().message;
  }

  std::uint64_t lastStep_ = 4;
};

TEST_F(LightningRun, IsTakenInTheOrderOfStepsAndEachOnce) {
  for (const std::size_t known : {0U, 2U}) {
    said_.clear();
    const auto watched = watchOnce();
    ASSERT_TRUE(watched) << watched.error().message;
    EXPECT_EQ(watched->taken, 2 - known);
    EXPECT_EQ(watched->known, 1 + known);
    EXPECT_THAT(versions(), ElementsAre("run:v1 step-3", "run:v2 step-4"));
    EXPECT_EQ(said_.back(), "run:v2");
    EXPECT_EQ(said_.size(), 3 - known);
  }
}

TEST_F(LightningRun, IsKnownWhicheverNameCameFirst) {
  takeInto("last.ckpt");
  const auto watched = watchOnce();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-4", "run:v2 step-3"));
  const auto again =
      takeSnapshot(store(), tools_,
                   {.add = {.name = "run"}, .path = runFolder() / "epoch=2-step=4.ckpt"}, {}, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->wasTaken);
  EXPECT_EQ(again->added.version.label(), "run:v1");
  EXPECT_EQ(again->twin, "last.ckpt");
}

/// A trainer that goes on without training writes the same bytes for another step.
TEST_F(LightningRun, IsStoredWhereItsStepIsAnother) {
  lastStep_ = 5;
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-3", "run:v2 step-4", "run:v3 step-5"));
}

/// PyTorch names the folder in an archive after its file, so the bytes differ.
class LossyLightningRun : public LightningRun {
 protected:
  void SetUp() override {
    LightningRun::SetUp();
    rename("last.ckpt");
  }
  void rename(const std::string& name) {
    std::string bytes = test::readWhole(runFolder() / name);
    const std::string folder = "step-4/";
    ASSERT_NE(bytes.find(folder), std::string::npos);
    for (std::size_t at = bytes.find(folder); at != std::string::npos; at = bytes.find(folder)) {
      bytes.replace(at, folder.size(), "last-4/");
    }
    test::writeWhole(runFolder() / name, bytes);
  }
  Result<WatchReport> watchLossy() {
    return watchOnce([this](WatchOptions& options) {
      options.snapshot.plan = profile_.plan;
      options.snapshot.add.profile = profile_.name;
    });
  }

  Profile profile_ = *loadProfile({}, "lc-checkpoint");
};

TEST_F(LossyLightningRun, IsNotStoredAgainWhereATwinWasMadeOfItsTensors) {
  for (const std::size_t known : {0U, 2U}) {
    const auto watched = watchLossy();
    ASSERT_TRUE(watched) << watched.error().message;
    EXPECT_EQ(watched->taken, 2 - known);
    EXPECT_EQ(watched->known, 1 + known);
    EXPECT_THAT(versions(), ElementsAre("run:v1 step-3", "run:v2 step-4"));
  }
  EXPECT_TRUE(store().resolve("run:v2")->lossy);
  // Where only the exact bytes will do, it is stored with them.
  takeInto("last.ckpt");
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-3", "run:v2", "run:v3 step-4"));
  EXPECT_FALSE(store().resolve("run:v3")->lossy);
}

TEST_F(LossyLightningRun, IsStoredWhereTensorsDiffer) {
  put("step-3.ckpt", "last.ckpt");
  const auto watched = watchLossy();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 3U);
}

TEST_F(LightningRun, IsStoredAgainstTheOneOfItsStepWhereBytesDiffer) {
  fs::remove(runFolder() / "last.ckpt");
  put("step-3.ckpt", "last.ckpt");
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-3", "run:v2", "run:v3 step-4"));
  EXPECT_EQ(store().resolve("run:v3")->parentDigest, store().resolve("run:v2")->contentDigest);
}

}  // namespace
}  // namespace strata
