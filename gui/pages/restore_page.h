#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/restore_version.h"
#include "gui/jobs/job.h"
#include "gui/models/columns/restore_columns.h"

class QCheckBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QRadioButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// Restores one version: says what is written where, how large it is and what exists already,
/// before anything is written.
class RestorePage final : public QWidget {
  Q_OBJECT

 public:
  RestorePage(Workbench& bench, QWidget* parent = nullptr);

  void begin(const QString& label);
  void setTarget(const QString& target);
  Banner& banner() noexcept { return *banner_; }

 signals:
  void closed();
  /// It is known what would be written.
  void planned();
  void restored(const QString& target);
  /// Packs that the version needs are to be pulled: of this version of this remote.
  void fetchRequested(const QString& remote, const QString& reference);

 private:
  QFormLayout* makeForm();
  QWidget* makeTables();
  /// The files and the line of the version.
  void loadDetails();
  void showFiles(const std::vector<std::filesystem::path>& targets);
  QHBoxLayout* makeButtons();
  void browse();
  void plan();
  void showPlan(const RestoreReport& report);
  /// Says which packs have to come first, and offers to fetch them.
  void showMissing(const ListRow& row);
  void run();
  QString commandLine() const;

  Workbench& bench_;
  QString label_;
  std::vector<std::filesystem::path> targets_;  ///< of the files, once planned
  QPointer<Job> describing_;
  QPointer<Job> planning_;
  QPointer<Job> restoring_;
  bool isMissing_ = false;  ///< packs that are not here keep it from being restored
  QTimer delay_;
  Banner* banner_;
  QLabel* title_;
  QLineEdit* target_;
  QRadioButton* keep_;
  QRadioButton* backup_;
  QRadioButton* replace_;
  QCheckBox* verify_;
  QLabel* plan_;
  QLabel* fidelity_;
  RestoredFileTable* files_;
  LineTable* line_;
  TableView* fileView_;
  TableView* lineView_;
  QProgressBar* progress_;
  QLabel* progressText_;
  QPushButton* cancelButton_;
  QPushButton* restoreButton_;
};

}  // namespace strata::gui
