#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// One push or pull, waiting, under way or over.
struct Transfer {
  enum class Direction { Push, Pull };
  enum class State { Waiting, Running, Interrupted, Failed, Done };
  int id = 0;
  Direction direction = Direction::Pull;
  QString remote;
  QStringList references;
  State state = State::Waiting;
  JobProgress progress;
  int attempt = 1;
  QString words;  ///< what came of it, or why it waits

  bool isOver() const noexcept { return state == State::Failed || state == State::Done; }
};

/// Pushes and pulls, one after the other. What fails for the network is tried again a few times;
/// what was not over when the window was closed is there again the next time, and goes on where it
/// stopped, because the ops resume. UI thread only.
class TransferList final : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMostAttempts = 5;

  explicit TransferList(StoreSession& session, QObject* parent = nullptr);

  const std::vector<Transfer>& transfers() const noexcept { return transfers_; }
  /// Transfers that are not over.
  int openCount() const;
  bool isRunning() const noexcept { return !job_.isNull(); }

  void add(Transfer::Direction direction, const QString& remote, const QStringList& references);
  /// Stops a transfer and takes it off the list; what arrived is kept for the next try.
  void cancel(int id);
  /// Lets a failed or interrupted one wait again.
  void retry(int id);
  void resumeAll();
  void clearOver();
  /// First wait before another try; doubles with each. For tests.
  void setRetryDelay(int milliseconds) noexcept { retryDelayMs_ = milliseconds; }

 signals:
  void changed();
  /// A transfer is over, well or not.
  void ended(const strata::gui::Transfer& transfer);

 private:
  void load();
  void save();
  void runNext();
  void start(Transfer& transfer);
  void conclude(int id, Job* job, const QString& words);
  Transfer* find(int id);

  StoreSession& session_;
  std::vector<Transfer> transfers_;
  QString folder_;  ///< of the store that the list belongs to
  QPointer<Job> job_;
  QTimer wait_;
  int nextId_ = 1;
  int retryDelayMs_ = 2000;
};

/// The open transfers as a small text, and back; what cannot be read is left out.
QByteArray toJson(const std::vector<Transfer>& transfers);
std::vector<Transfer> transfersFromJson(const QByteArray& json);

}  // namespace strata::gui
