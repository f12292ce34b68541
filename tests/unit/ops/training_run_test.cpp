#include <gtest/gtest.h>

#include "core/archive/write/steps/step_plan.h"
#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/objects/version_chain.h"
#include "tests/support/training_run.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// run:v1 to run:v3, each a step of training after the one before.
class StoredTrainingRun : public test::StoreFixture {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      if (i != 0) run_.step();
      models_.push_back(run_.snapshot());
      AddOptions options{.name = "run"};
      options.chain = ChainPolicy::Always;
      if (i == 0) options.baseChoice = BaseChoice::None;
      options.stepsFrom = [&](const VersionReader&) { return run_.groups(); };
      add(*models_.back(), options);
    }
  }

  std::shared_ptr<const VersionReader> reader(const std::string& reference) {
    const auto version = store().resolve(reference);
    if (!version) return nullptr;
    const auto opened = openVersion(store(), *version);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened.value_or(nullptr);
  }

  /// Of the first tensor's first part.
  std::size_t sourceCount(const std::string& reference) {
    const auto opened = reader(reference);
    return opened ? opened->manifest().tensors.front().parts.front().sourceCount() : 0;
  }

  void expectRestores(const std::string& reference, const test::MemoryModel& model) {
    const auto opened = reader(reference);
    ASSERT_NE(opened, nullptr);
    for (std::size_t f = 0; f < opened->manifest().files.size(); ++f) {
      std::string bytes(opened->manifest().files[f].byteCount, '\0');
      const auto read = opened->read(f, 0, std::as_writable_bytes(std::span(bytes)));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_TRUE(bytes == model.bytesOf(f)) << reference << " file " << f;
    }
  }

  void expectSound() {
    VerifyOptions options;
    options.level = VerifyOptions::Level::Rebuild;
    const auto report = verifyStore(store(), options, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
  }

  test::TrainingRun run_{{{"body.weight", {60, 50}}, {"body.bias", {60}}}};
  std::vector<std::unique_ptr<test::MemoryModel>> models_;
};

TEST_F(StoredTrainingRun, ComesBackAndIsSound) {
  EXPECT_EQ(sourceCount("run:v1"), 0U);
  EXPECT_EQ(sourceCount("run:v2"), 3U);
  EXPECT_EQ(sourceCount("run:v3"), 3U);
  for (int i = 0; i < 3; ++i) expectRestores("run:v" + std::to_string(i + 1), *models_[i]);
  expectSound();
}

TEST_F(StoredTrainingRun, KeepsItsStepsWhenItIsCodedAnew) {
  const auto report = recodeVersion(
      store(), {.reference = "run:v3", .effort = Effort::Best, .force = true}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->outcome, RecodeReport::Outcome::Recoded);
  EXPECT_EQ(sourceCount("run:v3"), 3U);
  EXPECT_LT(report->bytesAfter, report->bytesBefore * 11 / 10);
  expectRestores("run:v3", *models_[2]);
  expectSound();
}

TEST_F(StoredTrainingRun, LosesItsStepWithTheVersionBefore) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2"}, .now = true}));
  expectRestores("run:v3", *models_[2]);
  const auto report = collectGarbage(store(), {.dryRun = false, .recode = true}, {});
  ASSERT_TRUE(report) << report.error().message;
  expectRestores("run:v3", *models_[2]);
  expectRestores("run:v1", *models_[0]);
  expectSound();
}

}  // namespace
}  // namespace strata
