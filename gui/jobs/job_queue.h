#pragma once

#include <QList>
#include <QObject>
#include <QThreadPool>

#include "gui/jobs/job.h"

namespace strata::gui {

/// Runs jobs on threads of its own: those that write to the store for long one after the other, and
/// beside them those that change something for a moment; those that read a few at a time. The
/// store's lock keeps writers apart. Owns jobs until they are over.
class JobQueue final : public QObject {
  Q_OBJECT

 public:
  enum class Lane {
    Read,
    Write,  ///< add, recode, push: they hold the store's lock for a part of their time
    Edit    ///< a tag, a note, an undo: need not wait until an add is over
  };

  explicit JobQueue(QObject* parent = nullptr);
  /// Asks all jobs to stop and waits for their threads.
  ~JobQueue() override;

  /// Takes the job over and starts it. It is deleted later, once it has ended.
  void start(Job* job, Lane lane);
  /// Jobs that change the store and are not over: what a person waits for.
  const QList<Job*>& writing() const noexcept { return writing_; }
  bool isBusy() const noexcept { return !writing_.isEmpty(); }

 signals:
  void started(strata::gui::Job* job);
  /// The list of writing jobs, or the progress of one, is another one now.
  void changed();

 private:
  QThreadPool readers_;
  QThreadPool writers_;
  QThreadPool editors_;
  QList<Job*> all_;
  QList<Job*> writing_;
};

}  // namespace strata::gui
