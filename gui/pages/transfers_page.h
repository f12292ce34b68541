#pragma once

#include <QWidget>

#include "gui/jobs/transfer_list.h"
#include "gui/models/columns/record_table.h"

class QLabel;
class QLayout;
class QPushButton;
class QToolButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// Pushes and pulls: what waits, runs, failed and is done.
class TransfersPage final : public QWidget {
  Q_OBJECT

 public:
  Banner& banner() noexcept { return *banner_; }

  TransfersPage(Workbench& bench, TransferList& list, QWidget* parent = nullptr);

 private:
  RecordTable<Transfer>* makeTable();
  QLayout* makeBar();
  void show();
  int selectedId() const;
  QStringList commands() const;
  /// Says why the last one failed, and forgets it when one goes well.
  void showEnd(const Transfer& transfer);
  /// Moves the chosen one in the queue; it stays chosen.
  void move(void (TransferList::*how)(int));

  Workbench& bench_;
  TransferList& list_;
  Banner* banner_;
  RecordTable<Transfer>* table_;
  TableView* view_;
  QLabel* line_;
  QPushButton* retry_;
  QPushButton* pause_;
  QToolButton* up_;
  QToolButton* down_;
  QPushButton* forget_;
  QPushButton* stop_;
  QPushButton* resume_;
  QPushButton* pauseAll_;
  QPushButton* clear_;
};

}  // namespace strata::gui
