#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <map>
#include <optional>
#include <string>

#include "gui/jobs/store_ops.h"
#include "gui/models/columns/diff_columns.h"

class QCheckBox;
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

/// Two models side by side: versions, if wished with what either changed of its base, a version and
/// its base, a version and a file on disk; of a
/// lossy version the file that was added, so that the change is the error of what it restores to.
class ComparePage final : public QWidget {
  Q_OBJECT

 public:
  ComparePage(Workbench& bench, QWidget* parent = nullptr);

  /// Compares `a` with `b`; an empty `a` is b's own base.
  void compare(const QString& a, const QString& b);
  /// Chooses `label` as side B, if nothing was compared yet.
  void suggest(const QString& label);
  /// Compares a model on disk with the chosen version: as side A with a lossy one, else as side B.
  void compareWithFile(const QString& file);
  Banner& banner() noexcept { return *banner_; }
  /// Share of changed words under which tensors are not listed.
  double threshold() const;

 signals:
  void compared();
  /// What either side changed of its base is shown, too.
  void basesCompared();

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
  /// What each side changed of its base, tensor by tensor, once two versions are compared.
  void compareBases();
  void showReport();
  void applyThreshold();
  void exportTable();
  QString commandLine() const;
  QStringList commands() const;

  /// What one side changed of its base.
  struct FromBase {
    QPointer<Job> job;
    std::map<std::string, double> changes = {};  ///< by tensor
    std::optional<ModelChange> whole = {};       ///< nothing until the job is over
  };

  Workbench& bench_;
  QPointer<Job> job_;
  std::optional<DiffReport> report_;
  FromBase fromBase_[2];  ///< of A and B
  Banner* banner_;
  QComboBox* a_;
  QComboBox* b_;
  QToolButton* swap_;
  QPushButton* file_;
  QCheckBox* bases_;
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
