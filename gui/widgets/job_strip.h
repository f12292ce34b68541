#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;

namespace strata::gui {

class JobQueue;

/// What is being written to the store, how far it is, and a button that stops it. Hidden while
/// nothing is.
class JobStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit JobStrip(JobQueue& queue, QWidget* parent = nullptr);

 private:
  void showJobs();

  JobQueue& queue_;
  QLabel* text_;
  QProgressBar* bar_;
};

}  // namespace strata::gui
