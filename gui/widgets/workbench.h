#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <functional>

#include "gui/jobs/job_queue.h"
#include "gui/jobs/store_session.h"
#include "gui/models/command_text.h"

namespace strata::gui {

/// What all pages share: the store, the queue of jobs, and the ways to each other.
///
/// Pages ask for what they need by signals and never know one another; the main window joins them.
class Workbench final : public QObject {
  Q_OBJECT

 public:
  explicit Workbench(QObject* parent = nullptr);

  StoreSession& session() noexcept { return session_; }
  const StorePtr& store() const noexcept { return session_.store(); }

  void read(Job* job) { session_.queue().start(job, JobQueue::Lane::Read); }
  void write(Job* job) { session_.queue().start(job, JobQueue::Lane::Write); }
  /// For changes of a moment, which do not wait until an add is over.
  void edit(Job* job) { session_.queue().start(job, JobQueue::Lane::Edit); }

  /// The names of a store's versions, for completions: "sst2:v2", newest first.
  QStringList labels() const;

  /// The folder of the store that is open; empty if none is.
  QString storeFolder() const { return store() ? session_.folder() : QString(); }
  /// A command for the store that is open, to be completed.
  CommandText command(const QString& name) const { return {storeFolder(), name}; }
  /// Puts text on the clipboard and says so.
  void copy(const QString& text, const QString& what);
  /// Writes a small file on a worker and says so.
  void writeFile(const QString& file, const QByteArray& bytes);

 signals:
  void showVersion(const QString& label);
  void compare(const QString& a, const QString& b);
  void add(const QStringList& paths);
  void restore(const QString& label);
  void editNote(const QString& label);
  void tag(const QString& label);
  void remove(const QStringList& labels);
  void tune(const QString& path);
  /// A tensor is to be kept exactly by the settings that are being edited.
  void protect(const QString& tensor);
  /// Something was done; `undo` is a button's text and what it does, or empty.
  void done(const QString& what, const QString& undo, const std::function<void()>& act);
  void trouble(const strata::gui::Problem& problem);

 private:
  StoreSession session_;
};

}  // namespace strata::gui
