#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <atomic>

#include "gui/jobs/job_queue.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Job;
using gui::JobQueue;
using gui::OpJob;

OpJob<int>* makeJob(std::function<Result<int>(std::stop_token, const ProgressSink&)> op) {
  return new OpJob<int>("Working", "The work failed", std::move(op));
}

TEST(Job, GivesItsReportOnTheThreadThatAsked) {
  JobQueue queue;
  Qt::HANDLE worker = nullptr;
  auto* job = makeJob([&](const std::stop_token&, const ProgressSink&) -> Result<int> {
    worker = QThread::currentThreadId();
    return 42;
  });
  int report = 0;
  EXPECT_EQ(run(queue, job, [&] { report = job->report(); }), Job::State::Finished);
  EXPECT_EQ(report, 42);
  EXPECT_NE(worker, QThread::currentThreadId());
}

TEST(Job, EndsWithAProblemThatNamesTheFailure) {
  JobQueue queue;
  auto* job = makeJob([](const std::stop_token&, const ProgressSink&) -> Result<int> {
    return fail(ErrorCode::NoSpace, "disk full");
  });
  QSignalSpy failed(job, &Job::failed);
  gui::Problem problem;
  EXPECT_EQ(run(queue, job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(failed.count(), 1);
  EXPECT_EQ(problem.code, ErrorCode::NoSpace);
  EXPECT_EQ(problem.what, "The work failed");
  EXPECT_EQ(problem.why, "disk full");
}

/// A page may be about a store that the window lost meanwhile.
TEST(Job, FailsWhereNoStoreIsOpen) {
  JobQueue queue;
  bool hasRun = false;
  auto* job = new OpJob<int>("Working", "The work failed", nullptr,
                             [&](const std::stop_token&, const ProgressSink&) -> Result<int> {
                               hasRun = true;
                               return 0;
                             });
  gui::Problem problem;
  EXPECT_EQ(run(queue, job, [&] { problem = job->problem(); }), Job::State::Failed);
  EXPECT_EQ(problem.code, ErrorCode::NoStore);
  EXPECT_FALSE(hasRun);
}

TEST(Job, TellsOfProgressInOrder) {
  JobQueue queue;
  auto* job = makeJob([](const std::stop_token&, const ProgressSink& sink) -> Result<int> {
    for (std::uint64_t done : {1U, 2U, 3U}) sink({"encoding", "layer.1", done, 4});
    return 0;
  });
  QList<qint64> done;
  QObject::connect(job, &Job::progressed,
                   [&](const gui::JobProgress& progress) { done << progress.doneBytes; });
  EXPECT_EQ(run(queue, job), Job::State::Finished);
  EXPECT_EQ(done, (QList<qint64>{1, 2, 3}));
  const gui::JobProgress half{"encoding", "layer.1", 50, 100, 0};
  EXPECT_EQ(half.text(), "encoding layer.1, 50 %");
}

TEST(Job, StopsWhenItIsAskedTo) {
  JobQueue queue;
  auto* job = makeJob([](const std::stop_token& stop, const ProgressSink&) -> Result<int> {
    while (!stop.stop_requested()) QThread::msleep(1);
    return fail(ErrorCode::Cancelled, "stopped");
  });
  QObject::connect(job, &Job::started, job, &Job::cancel);
  EXPECT_EQ(run(queue, job), Job::State::Cancelled);
}

TEST(Job, MayBeDeletedWhileItRuns) {
  JobQueue queue;
  std::atomic<bool> ended = false;
  auto* job = makeJob([&](const std::stop_token& stop, const ProgressSink&) -> Result<int> {
    while (!stop.stop_requested()) QThread::msleep(1);
    ended = true;
    return 1;
  });
  QSignalSpy started(job, &Job::started);
  queue.start(job, JobQueue::Lane::Read);
  ASSERT_TRUE(started.wait(kPatienceMs));
  delete job;
  EXPECT_TRUE(QTest::qWaitFor([&] { return ended.load(); }, kPatienceMs));
}

TEST(JobQueue, RunsWritersOneAfterTheOther) {
  JobQueue queue;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    auto* job = makeJob([&](const std::stop_token&, const ProgressSink&) -> Result<int> {
      most = std::max(most.load(), ++running);
      QThread::msleep(2);
      --running;
      return 0;
    });
    QObject::connect(job, &Job::ended, [&] { ++ended; });
    queue.start(job, JobQueue::Lane::Write);
  }
  EXPECT_EQ(queue.writing().size(), 5);
  EXPECT_TRUE(QTest::qWaitFor([&] { return ended == 5; }, kPatienceMs));
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(queue.isBusy());
}

TEST(JobQueue, LetsAnEditGoBesideALongWrite) {
  JobQueue queue;
  std::atomic<bool> mayEnd = false;
  auto* write = makeJob([&](const std::stop_token&, const ProgressSink&) -> Result<int> {
    while (!mayEnd) QThread::msleep(1);
    return 1;
  });
  QSignalSpy ended(write, &Job::ended);
  queue.start(write, JobQueue::Lane::Write);
  auto* edit =
      makeJob([](const std::stop_token&, const ProgressSink&) -> Result<int> { return 2; });
  EXPECT_EQ(run(queue, edit, {}, JobQueue::Lane::Edit), Job::State::Finished);
  EXPECT_EQ(ended.count(), 0);
  EXPECT_TRUE(queue.isBusy());
  mayEnd = true;
  EXPECT_TRUE(ended.wait(kPatienceMs));
  EXPECT_FALSE(queue.isBusy());
}

TEST(JobQueue, StopsItsJobsWhenItGoes) {
  std::atomic<bool> wasStopped = false;
  {
    JobQueue queue;
    auto* job = makeJob([&](const std::stop_token& stop, const ProgressSink&) -> Result<int> {
      while (!stop.stop_requested()) QThread::msleep(1);
      wasStopped = true;
      return 0;
    });
    QSignalSpy started(job, &Job::started);
    queue.start(job, JobQueue::Lane::Write);
    ASSERT_TRUE(started.wait(kPatienceMs));
  }
  EXPECT_TRUE(wasStopped);
}

}  // namespace
}  // namespace strata::test
