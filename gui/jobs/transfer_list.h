#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/ops/exchange/push_versions.h"
#include "core/transfer/base_elsewhere.h"
#include "core/transfer/transfer_log.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// The place of a waiting transfer in the catalog. Used on workers.
class TransferHold;

/// One push or pull, waiting, under way or over.
struct Transfer {
  using Direction = TransferRequest::Direction;
  enum class State {
    Waiting,
    Running,
    Elsewhere,    ///< waits or runs in another program
    Interrupted,  ///< paused, or its program is gone
    Failed,
    Done,
  };
  int id = 0;
  TransferRequest request;
  Direction direction = Direction::Pull;
  QString remote;
  QStringList references;
  State state = State::Waiting;
  JobProgress progress;
  int attempt = 1;
  QString words;             ///< what came of it, or why it waits
  Problem problem = {};      ///< of one that failed in this window
  QElapsedTimer moved = {};  ///< of one that runs: since its bytes last grew
  std::int64_t entryId = 0;  ///< of the catalog, for what this window did not begin; else 0
  bool isPausing = false;    ///< it is to stay listed once it has stopped
  bool isConfirmed = true;   ///< TransferEntry's
  std::shared_ptr<TransferHold> hold = nullptr;

  bool isOver() const noexcept { return state == State::Failed || state == State::Done; }
  /// Whether it can be told to go on.
  bool canGoOn() const noexcept {
    return isConfirmed && (state == State::Failed || state == State::Interrupted);
  }
};

/// Pushes and pulls, one after the other. What fails for the network is tried again a few times.
/// What is not over is in the store's catalog (core/transfer/transfer_log.h): that of other
/// programs and of windows that were closed is listed, too, and goes on where it stopped, because
/// the ops resume. UI thread only.
class TransferList final : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMostAttempts = 5;

  explicit TransferList(StoreSession& session, QObject* parent = nullptr);

  const std::vector<Transfer>& transfers() const noexcept { return transfers_; }
  /// Transfers of this window, and interrupted ones, that are not over.
  int openCount() const;
  /// How long nothing has moved of a transfer that runs; 0 for less than ten seconds.
  qint64 stalledSeconds(const Transfer& transfer) const;
  bool isRunning() const noexcept { return !job_.isNull(); }
  /// Whether a job is that of the transfer that runs.
  bool owns(const Job& job) const noexcept { return job_ == &job; }

  void add(Transfer::Direction direction, const QString& remote, const QStringList& references);
  void add(const TransferRequest& request);
  /// Pulls of this window may fetch these bases from where they lie: the user saw their places.
  void agree(const std::vector<BaseElsewhere>& bases);
  /// Stops a transfer and takes it off the list; what arrived is kept for the next try.
  void cancel(int id);
  /// Stops a transfer; it stays listed as interrupted.
  void pause(int id);
  /// Lets a failed or interrupted one wait again.
  void retry(int id);
  void resumeAll();
  /// Pauses all of this window that wait or run.
  void pauseAll();
  /// Lets a waiting one go before, or after, the next of those that wait.
  void moveUp(int id);
  void moveDown(int id);
  void clearOver();
  /// First wait before another try; doubles with each. For tests.
  void setRetryDelay(int milliseconds) noexcept { retryDelayMs_ = milliseconds; }
  /// What counts as standing still. For tests.
  void setStallLimit(int milliseconds) noexcept { stallMs_ = milliseconds; }

 signals:
  void changed();
  /// A transfer is over, well or not.
  void ended(const strata::gui::Transfer& transfer);

 private:
  void look();
  void merge(const std::vector<TransferEntry>& entries);
  void runNext();
  void start(Transfer& transfer);
  void conclude(int id, Job* job, const QString& words, const std::vector<FailedTransfer>& failed);
  void holdWaiting();
  void forget(std::vector<TransferRequest> requests);
  Transfer* find(int id);
  void swapWaiting(int id, int direction);

  StoreSession& session_;
  std::vector<Transfer> transfers_;
  std::vector<BaseElsewhere> agreed_;
  QPointer<Job> job_;
  QPointer<Job> looking_;
  bool isStale_ = false;  ///< the catalog changed while it was read
  QTimer wait_;
  int nextId_ = 1;
  int retryDelayMs_ = 2000;
  int stallMs_ = 10'000;
};

}  // namespace strata::gui
