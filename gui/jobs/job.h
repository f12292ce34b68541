#pragma once

#include <QElapsedTimer>
#include <QMetaType>
#include <QObject>
#include <QString>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/progress.h"
#include "core/result.h"
#include "gui/models/problem_text.h"

class QThreadPool;

namespace strata::gui {

/// Where a job stands. Bytes are of the original model.
struct JobProgress {
  QString phase;
  QString item;
  qint64 doneBytes = 0;
  qint64 totalBytes = 0;
  double bytesPerSecond = 0;  ///< mean of the last seconds; 0 at first

  double share() const noexcept {
    return totalBytes <= 0 ? 0 : static_cast<double>(doneBytes) / static_cast<double>(totalBytes);
  }
  /// "encoding layer.3.weight, 41 %, 0:06 left".
  QString text() const;
  /// "0:06"; empty where that cannot be told.
  QString timeLeftText() const;
};

/// How fast something goes: the mean of the last five seconds.
class RateMeter {
 public:
  /// Takes in where it stands at a time; both only grow. Gives bytes a second, 0 at first.
  double note(qint64 milliseconds, qint64 doneBytes);

 private:
  std::deque<std::pair<qint64, qint64>> samples_;  ///< time and bytes
};

/// One op of core on a worker thread. Lives on the UI thread and speaks by signals there.
///
/// Ends with exactly one of finished(), failed() and cancelled(), then ended(). Deleting it asks
/// the op to stop and forgets its outcome.
class Job : public QObject {
  Q_OBJECT

 public:
  enum class State { Waiting, Running, Finished, Failed, Cancelled };
  using Work = std::function<Result<void>(std::stop_token, const ProgressSink&)>;

  /// `title` names the job in lists ("Adding sst2"); `failure` is the sentence for when it fails
  /// ("sst2 could not be added").
  Job(QString title, QString failure, Work work, QObject* parent = nullptr);
  ~Job() override;

  /// Hands the work to a pool; once.
  void start(QThreadPool& pool);

  /// Runs a call on the job's own thread, later, if the job still lives then. Any thread may post.
  using Post = std::function<void(std::function<void()>)>;
  Post poster() const;

  const QString& title() const noexcept { return title_; }
  State state() const noexcept { return state_; }
  bool isOver() const noexcept { return state_ > State::Running; }
  const JobProgress& progress() const noexcept { return progress_; }
  const Problem& problem() const noexcept { return problem_; }

 public slots:
  /// Asks the op to stop; ended() comes when it has.
  void cancel();

 signals:
  void started();
  void progressed(const strata::gui::JobProgress& progress);
  void finished();
  void failed(const strata::gui::Problem& problem);
  void cancelled();
  void ended();

 private:
  struct Shared;

  void noteStart();
  void noteProgress(const Progress& progress);
  void conclude(const std::optional<Error>& error);

  QString title_;
  QString failure_;
  State state_ = State::Waiting;
  JobProgress progress_;
  QElapsedTimer clock_;
  RateMeter rate_;
  Problem problem_;
  std::shared_ptr<Shared> shared_;
};

/// Why a job fails whose window has lost the store that it is about.
inline Error noStoreOpen() { return {ErrorCode::NoStore, "no store is open"}; }

/// A job whose op gives a report.
template <typename Report>
class OpJob final : public Job {
 public:
  using Op = std::function<Result<Report>(std::stop_token, const ProgressSink&)>;

  OpJob(QString title, QString failure, Op op, QObject* parent = nullptr)
      : OpJob(std::move(title), std::move(failure), std::move(op),
              std::make_shared<std::optional<Report>>(), parent) {}

  /// Fails with noStoreOpen() where there is no `store`.
  OpJob(QString title, QString failure, std::shared_ptr<const void> store, Op op,
        QObject* parent = nullptr)
      : OpJob(
            std::move(title), std::move(failure),
            [store = std::move(store), op = std::move(op)](
                std::stop_token stop, const ProgressSink& sink) -> Result<Report> {
              if (!store) return fail(noStoreOpen());
              return op(std::move(stop), sink);
            },
            parent) {}

  /// After finished() only.
  const Report& report() const { return **report_; }

 private:
  OpJob(QString title, QString failure, Op op, std::shared_ptr<std::optional<Report>> report,
        QObject* parent)
      : Job(
            std::move(title), std::move(failure),
            [op = std::move(op), report](std::stop_token stop,
                                         const ProgressSink& sink) -> Result<void> {
              Result<Report> outcome = op(std::move(stop), sink);
              if (!outcome) return fail(std::move(outcome).error());
              *report = std::move(*outcome);
              return {};
            },
            parent),
        report_(std::move(report)) {}

  std::shared_ptr<std::optional<Report>> report_;
};

}  // namespace strata::gui

Q_DECLARE_METATYPE(strata::gui::JobProgress)
