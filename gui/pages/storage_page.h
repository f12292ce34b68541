#pragma once

#include <QPointer>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/ops/verify_store.h"
#include "gui/jobs/store_session.h"
#include "gui/models/object_columns.h"
#include "gui/models/version_columns.h"

class QLabel;
class QPushButton;
class QProgressBar;

namespace strata::gui {

class Banner;
class SizeBar;
class TableView;
class Workbench;

/// What takes the space, whether it is sound, and what lies in the trash.
class StoragePage final : public QWidget {
  Q_OBJECT

 public:
  StoragePage(Workbench& bench, QWidget* parent = nullptr);

  void verify(VerifyOptions::Level level);
  void emptyTrash();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void objectsListed();
  void verified();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeButtons();
  QWidget* makeTrash();
  void showSnapshot(const SnapshotPtr& snapshot);
  void listObjects();
  void showObjects();
  void showReport(const VerifyReport& report);
  void bringBack();
  void confirmEmpty(const EmptyTrashReport& report);

  Workbench& bench_;
  std::vector<ObjectRow> objects_;
  std::unique_ptr<VerifyReport> report_;
  QPointer<Job> listing_;
  QPointer<Job> verifying_;
  bool isStale_ = true;  ///< the objects are to be listed when the page is shown
  Banner* banner_;
  QLabel* totals_;
  SizeBar* bar_;
  ObjectTable* objectTable_;
  TableView* objectView_;
  TrashTable* trashTable_;
  TableView* trashView_;
  QLabel* trashLine_;
  QPushButton* quick_;
  QPushButton* full_;
  QPushButton* rebuild_;
  QPushButton* stop_;
  QPushButton* back_;
  QPushButton* empty_;
  QProgressBar* progress_;
};

}  // namespace strata::gui
