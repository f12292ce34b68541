#include "gui/jobs/job.h"

#include <QStringList>
#include <QThreadPool>
#include <mutex>

#include "core/text/wording.h"
#include "gui/models/wording.h"

namespace strata::gui {

QString JobProgress::text() const {
  QStringList parts;
  const QString doing = (phase + u' ' + item).trimmed();
  if (!doing.isEmpty()) parts << doing;
  if (totalBytes > 0) parts << shareText(share());
  const QString left = timeLeftText();
  if (!left.isEmpty()) parts << Job::tr("%1 left").arg(left);
  return parts.join(QStringLiteral(", "));
}

QString JobProgress::timeLeftText() const {
  if (bytesPerSecond <= 0 || totalBytes <= doneBytes) return {};
  return gui::text(wordDuration(static_cast<double>(totalBytes - doneBytes) / bytesPerSecond));
}

double RateMeter::note(qint64 milliseconds, qint64 doneBytes) {
  constexpr qint64 kLeastMs = 500;
  constexpr qint64 kMostMs = 5000;
  samples_.emplace_back(milliseconds, doneBytes);
  while (samples_.size() > 2 && milliseconds - samples_.front().first > kMostMs) {
    samples_.pop_front();
  }
  const auto [begin, beginBytes] = samples_.front();
  if (milliseconds - begin < kLeastMs) return 0;
  return 1000.0 * static_cast<double>(doneBytes - beginBytes) /
         static_cast<double>(milliseconds - begin);
}

/// What the worker and the job both hold, so that either may go first.
struct Job::Shared {
  Work work;
  std::stop_source stop;
  std::mutex mutex;
  Job* job = nullptr;  ///< guarded by mutex; null once the job is gone

  void post(std::function<void(Job&)> call) {
    const std::lock_guard guard(mutex);
    if (job == nullptr) return;
    QMetaObject::invokeMethod(
        job, [to = job, call = std::move(call)] { call(*to); }, Qt::QueuedConnection);
  }
};

Job::Job(QString title, QString failure, Work work, QObject* parent)
    : QObject(parent),
      title_(std::move(title)),
      failure_(std::move(failure)),
      shared_(std::make_shared<Shared>()) {
  shared_->work = std::move(work);
  shared_->job = this;
}

Job::~Job() {
  shared_->stop.request_stop();
  const std::lock_guard guard(shared_->mutex);
  shared_->job = nullptr;
}

void Job::start(QThreadPool& pool) {
  pool.start([shared = shared_] {
    Work work = std::move(shared->work);
    if (shared->stop.stop_requested()) {
      const Error stopped{ErrorCode::Cancelled, "cancelled before it began"};
      shared->post([stopped](Job& job) { job.conclude(stopped); });
      return;
    }
    shared->post([](Job& job) { job.noteStart(); });
    const ProgressSink sink = [&shared](const Progress& progress) {
      shared->post([progress](Job& job) { job.noteProgress(progress); });
    };
    const Result<void> outcome = work(shared->stop.get_token(), sink);
    std::optional<Error> error;
    if (!outcome) error = outcome.error();
    work = {};  // what it holds goes on this thread, not with the job
    shared->post([error](Job& job) { job.conclude(error); });
  });
}

Job::Post Job::poster() const {
  return [shared = shared_](std::function<void()> call) {
    shared->post([call = std::move(call)](Job&) { call(); });
  };
}

void Job::cancel() { shared_->stop.request_stop(); }

void Job::noteStart() {
  state_ = State::Running;
  clock_.start();
  emit started();
}

void Job::noteProgress(const Progress& progress) {
  progress_.phase = text(progress.phase);
  progress_.item = text(progress.item);
  progress_.doneBytes = static_cast<qint64>(progress.doneBytes);
  progress_.totalBytes = static_cast<qint64>(progress.totalBytes);
  progress_.bytesPerSecond = rate_.note(clock_.elapsed(), progress_.doneBytes);
  emit progressed(progress_);
}

void Job::conclude(const std::optional<Error>& error) {
  if (!error) {
    state_ = State::Finished;
    emit finished();
  } else if (error->code == ErrorCode::Cancelled) {
    state_ = State::Cancelled;
    emit cancelled();
  } else {
    state_ = State::Failed;
    problem_ = problemFrom(failure_, *error);
    emit failed(problem_);
  }
  emit ended();
}

}  // namespace strata::gui
