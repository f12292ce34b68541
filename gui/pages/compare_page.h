#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "gui/jobs/store_ops.h"
#include "gui/models/diff_columns.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSlider;
class QToolButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// Two models side by side: versions, a version and its base, a version and a file on disk; of a
/// lossy version the file that was added, so that the change is the error of what it restores to.
class ComparePage final : public QWidget {
  Q_OBJECT

 public:
  ComparePage(Workbench& bench, QWidget* parent = nullptr);

  /// Compares `a` with `b`; an empty `a` is b's own base.
  void compare(const QString& a, const QString& b);
  /// Compares a model on disk with the chosen version: as side A with a lossy one, else as side B.
  void compareWithFile(const QString& file);
  Banner& banner() noexcept { return *banner_; }
  /// Share of changed words under which tensors are not listed.
  double threshold() const;

 signals:
  void compared();

 private:
  QWidget* makeBar();
  void fillSides();
  void run();
  /// Shows nothing, and gives up what is being compared.
  void forget();
  void chooseFile();
  CompareSide sideOf(const QComboBox* box) const;
  bool isLossy(const CompareSide& side) const;
  void updateButtons();
  void showReport(const DiffReport& report);
  void applyThreshold();
  void exportTable();
  QString commandLine() const;

  Workbench& bench_;
  QPointer<Job> job_;
  Banner* banner_;
  QComboBox* a_;
  QComboBox* b_;
  QToolButton* swap_;
  QPushButton* file_;
  QSlider* slider_;
  QLabel* sliderText_;
  QLabel* counts_;
  QProgressBar* progress_;
  DiffFactTable* facts_;
  TableView* factView_;
  DiffTable* tensors_;
  TableView* tensorView_;
};

}  // namespace strata::gui
