#pragma once

#include <QWidget>

#include "gui/models/columns/version_columns.h"
#include "gui/models/store_snapshot.h"

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

  void showTrash(const StoreSnapshot& snapshot);
  enum class Which { All, Expired };
  /// Deletes the trash, or what has been kept as long as the settings say. Asks before it does.
  void empty(Which which);
  /// What brings back the chosen versions, and what empties the trash.
  QStringList commands() const;

 private:
  QStringList chosen() const;
  void bringBack();
  static QString heldText(const EmptyTrashReport::Held& held);
  void confirm(const EmptyTrashReport& report, const EmptyTrashOptions& options);
  void emptyForGood(const EmptyTrashOptions& options);

  Workbench& bench_;
  Banner& banner_;
  TrashTable* table_;
  TableView* view_;
  QLabel* line_;
  QPushButton* back_;
  QPushButton* expired_;
  QPushButton* empty_;
  std::int64_t expiredBefore_ = 0;  ///< what was removed before has been kept long enough
};

}  // namespace strata::gui
