#pragma once

#include <QWidget>

#include "gui/jobs/transfer_list.h"
#include "gui/models/record_table.h"

class QLabel;
class QPushButton;

namespace strata::gui {

class TableView;
class Workbench;

/// Pushes and pulls: what waits, runs, failed and is done.
class TransfersPage final : public QWidget {
  Q_OBJECT

 public:
  TransfersPage(Workbench& bench, TransferList& list, QWidget* parent = nullptr);

 private:
  void show();
  int selectedId() const;
  QStringList commands() const;

  Workbench& bench_;
  TransferList& list_;
  RecordTable<Transfer>* table_;
  TableView* view_;
  QLabel* line_;
  QPushButton* retry_;
  QPushButton* pause_;
  QPushButton* forget_;
  QPushButton* stop_;
  QPushButton* resume_;
  QPushButton* clear_;
};

}  // namespace strata::gui
