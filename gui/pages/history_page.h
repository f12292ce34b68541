#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "core/ops/versions/operation_history.h"
#include "gui/jobs/job.h"
#include "gui/models/columns/operation_columns.h"

class QPlainTextEdit;
class QPushButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// What was done to the store, whatever program did it; takes any of it back, or does it again.
class HistoryPage final : public QWidget {
  Q_OBJECT

 public:
  HistoryPage(Workbench& bench, QWidget* parent = nullptr);

  Banner& banner() noexcept { return *banner_; }

 signals:
  void listed();
  /// Whether the chosen operation can be taken back, or done again, is known and shown.
  void tried();
  /// One was taken back, or done again.
  void reverted(const strata::Operation& operation, bool again);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QStringList commands() const;
  const Operation* chosen() const;
  void list();
  /// Finds out whether the chosen operation can be taken back, or done again.
  void tryChosen();
  void showChosen(const Operation& operation, const QString& objection);
  void revert(bool again);

  Workbench& bench_;
  OperationTable* table_;
  TableView* view_;
  QPlainTextEdit* details_;
  QPushButton* undo_;
  QPushButton* redo_;
  Banner* banner_;
  QPointer<Job> listing_;
  QPointer<Job> trying_;
  bool isStale_ = true;  ///< the list is to be read when the page is shown
};

}  // namespace strata::gui
