#include "gui/jobs/job_queue.h"

namespace strata::gui {
namespace {

constexpr int kReaders = 4;  // mostly waiting for a disk

}  // namespace

JobQueue::JobQueue(QObject* parent) : QObject(parent) {
  readers_.setMaxThreadCount(kReaders);
  writers_.setMaxThreadCount(1);
  editors_.setMaxThreadCount(1);
}

JobQueue::~JobQueue() {
  for (Job* job : std::as_const(all_)) job->cancel();
  writers_.waitForDone();
  editors_.waitForDone();
  readers_.waitForDone();
}

void JobQueue::start(Job* job, Lane lane) {
  job->setParent(this);
  all_ << job;
  connect(job, &Job::ended, this, [this, job] {
    all_.removeOne(job);
    if (writing_.removeOne(job)) emit changed();
    job->deleteLater();
  });
  connect(job, &QObject::destroyed, this, [this, job] {
    all_.removeOne(job);
    writing_.removeOne(job);
  });
  if (lane != Lane::Read) {
    writing_ << job;
    connect(job, &Job::started, this, &JobQueue::changed);
    connect(job, &Job::progressed, this, &JobQueue::changed);
    emit changed();
  }
  emit started(job);
  job->start(lane == Lane::Read ? readers_ : lane == Lane::Write ? writers_ : editors_);
}

}  // namespace strata::gui
