#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThread>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/store/store.h"
#include "gui/jobs/job_queue.h"
#include "gui/models/problem_text.h"
#include "gui/models/store_snapshot.h"

namespace strata::gui {

using StorePtr = std::shared_ptr<Store>;

/// The store that the window shows. Opens and lists it on workers and follows what other programs
/// do to it, within a second. UI thread only.
class StoreSession final : public QObject {
  Q_OBJECT

 public:
  enum class Opening { Existing, Create };

  explicit StoreSession(QObject* parent = nullptr);
  ~StoreSession() override;

  /// Opens the store at `folder`, in place of the one before; opened() or failed() follows.
  void open(const QString& folder, Opening opening = Opening::Existing);
  void close();
  /// Reads the list anew; listed() follows.
  void refresh();

  JobQueue& queue() noexcept { return queue_; }
  /// Null until opened().
  const StorePtr& store() const noexcept { return store_; }
  /// The last list; null until listed().
  const SnapshotPtr& snapshot() const noexcept { return snapshot_; }
  /// The folder of the store that is open or being opened.
  const QString& folder() const noexcept { return folder_; }

 signals:
  void opening(const QString& folder);
  void opened();
  void closed();
  void listed(const strata::gui::SnapshotPtr& snapshot);
  void failed(const strata::gui::Problem& problem);
  /// The store that was open is not at folder() any more, and is closed.
  void gone(const strata::gui::Problem& problem);
  /// Somebody has written to the catalog, perhaps only to its list of transfers.
  void touched();
  /// Somebody has changed the list of remotes, or what is known of one.
  void remotesTouched();

 private:
  void follow(std::optional<std::int64_t> known);
  void lose();

  JobQueue queue_;
  QString folder_;
  StorePtr store_;
  SnapshotPtr snapshot_;
  QPointer<Job> opening_;
  QPointer<Job> listing_;
  bool isStale_ = false;  ///< changed while it was being listed
  QThread followThread_;
  QPointer<QObject> follower_;
};

/// Everything that the window lists of a store. Fails as the ops of core do.
Result<SnapshotPtr> takeSnapshot(const Store& store);

}  // namespace strata::gui

Q_DECLARE_METATYPE(strata::gui::SnapshotPtr)
