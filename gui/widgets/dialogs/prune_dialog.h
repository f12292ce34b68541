#pragma once

#include <QDialog>
#include <QPointer>
#include <QTimer>

#include "core/ops/versions/prune_versions.h"
#include "gui/jobs/job.h"
#include "gui/models/columns/prune_columns.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace strata::gui {

class TableView;
class Workbench;

/// Takes the versions of a name away that no rule keeps: shows first which go, which stay and why,
/// and what that frees.
class PruneDialog final : public QDialog {
  Q_OBJECT

 public:
  PruneDialog(Workbench& bench, const QString& name, QWidget* parent = nullptr);

  /// As the boxes say; a dry run.
  PruneOptions options() const;

 signals:
  /// The plan for what the boxes say is shown, or why there is none.
  void planned();
  void pruneRequested(const strata::PruneOptions& options);

 private:
  QFormLayout* makeRules();
  QStringList commands() const;
  void planLater();
  void plan();
  void showPlan(const PruneReport& report);
  void showNone(const QString& why);

  Workbench& bench_;
  QPointer<Job> planning_;
  QTimer wait_;  ///< while somebody types
  QLineEdit* names_;
  QCheckBox* isLast_;
  QSpinBox* last_;
  QCheckBox* isEvery_;
  QSpinBox* every_;
  QCheckBox* tagged_;
  QCheckBox* best_;
  PruneTable* table_;
  TableView* view_;
  QLabel* summary_;
  QPushButton* prune_;
};

}  // namespace strata::gui
