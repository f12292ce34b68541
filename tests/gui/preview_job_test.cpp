#include "gui/jobs/preview_job.h"

#include <gtest/gtest.h>

#include "gui/jobs/store_ops.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Job;

class PreviewJobTest : public ::testing::Test {
 protected:
  PreviewJobTest() {
    auto opened = Store::open(sample_.path());
    EXPECT_TRUE(opened);
    store_ = std::move(*opened);
    gui::AddRequest base;
    base.path = QString::fromStdString(writeModel(sample_.files(), "a.safetensors", 30));
    base.options.name = "enc";
    base.isBase = true;
    EXPECT_EQ(run(queue_, gui::addJob(store_, base)), Job::State::Finished);
    request_.path = QString::fromStdString(writeTuned(sample_.files(), "b.safetensors", 30, 31));
    request_.profile = "balanced";
  }

  /// Runs a preview; what came of it is in preview_ or problem_.
  Job::State preview() {
    auto* job = gui::previewJob(store_, request_, preview_.source);
    return run(
        queue_, job,
        [&] {
          if (job->state() == Job::State::Finished) preview_ = job->report();
          problem_ = job->problem();
        },
        gui::JobQueue::Lane::Read);
  }

  StoreSample sample_;
  gui::StorePtr store_;
  gui::JobQueue queue_;
  gui::TuneRequest request_;
  gui::Preview preview_;
  gui::Problem problem_;
};

TEST_F(PreviewJobTest, GivesTheNumbersOfTheOperation) {
  ASSERT_EQ(preview(), Job::State::Finished);
  EXPECT_EQ(preview_.report.parentLabel, "enc:v1");
  EXPECT_GT(preview_.report.estimate.storedBytes.value, 0);
  EXPECT_GT(preview_.report.estimate.relativeError.value, 0);
}

TEST_F(PreviewJobTest, KeepsTheModelOpenForTheNext) {
  ASSERT_EQ(preview(), Job::State::Finished);
  const gui::PreviewSourcePtr first = preview_.source;
  const double before = preview_.report.estimate.storedBytes.value;
  request_.stepScale = 4;
  ASSERT_EQ(preview(), Job::State::Finished);
  EXPECT_EQ(preview_.source, first);
  EXPECT_NE(preview_.report.estimate.storedBytes.value, before);
}

TEST_F(PreviewJobTest, OpensAModelAnewThatHasChanged) {
  ASSERT_EQ(preview(), Job::State::Finished);
  const gui::PreviewSourcePtr first = preview_.source;
  writeTuned(sample_.files(), "c.safetensors", 30, 99);
  std::filesystem::rename(sample_.files() / "c.safetensors", sample_.files() / "b.safetensors");
  std::filesystem::last_write_time(
      sample_.files() / "b.safetensors",
      std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  ASSERT_EQ(preview(), Job::State::Finished);
  EXPECT_NE(preview_.source, first);
}

TEST_F(PreviewJobTest, SaysThatTheModelIsGone) {
  std::filesystem::remove(sample_.files() / "b.safetensors");
  EXPECT_EQ(preview(), Job::State::Failed);
  EXPECT_EQ(problem_.code, ErrorCode::NotFound);
  EXPECT_TRUE(problem_.why.contains("b.safetensors"));
}

TEST_F(PreviewJobTest, RefusesAnExactProfile) {
  request_.profile = "exact";
  EXPECT_EQ(preview(), Job::State::Failed);
  EXPECT_EQ(problem_.code, ErrorCode::InvalidArgument);
}

TEST_F(PreviewJobTest, StopsWhenItIsAskedTo) {
  auto* job = gui::previewJob(store_, request_, nullptr);
  job->cancel();
  EXPECT_EQ(run(queue_, job, {}, gui::JobQueue::Lane::Read), Job::State::Cancelled);
}

}  // namespace
}  // namespace strata::test
