#pragma once

#include <QWidget>

#include "gui/models/store_snapshot.h"
#include "gui/models/version_columns.h"

class QLabel;
class QPushButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// What lies in the trash, and the two ways out of it.
class TrashPane final : public QWidget {
  Q_OBJECT

 public:
  /// Says what came of it in `banner`, which must outlive it.
  TrashPane(Workbench& bench, Banner& banner, QWidget* parent = nullptr);

  void showTrash(const TrashReport& trash);
  /// Asks before it does.
  void empty();
  /// What brings back the chosen versions, and what empties the trash.
  QStringList commands() const;

 private:
  QStringList chosen() const;
  void bringBack();
  void confirm(const EmptyTrashReport& report);
  void emptyForGood();

  Workbench& bench_;
  Banner& banner_;
  TrashTable* table_;
  TableView* view_;
  QLabel* line_;
  QPushButton* back_;
  QPushButton* empty_;
};

}  // namespace strata::gui
