#pragma once

#include <QPointer>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/repair_here.h"
#include "core/ops/care/verify_store.h"
#include "core/transfer/remote_config.h"
#include "gui/jobs/store_session.h"
#include "gui/models/columns/object_columns.h"

class QLabel;
class QPushButton;
class QProgressBar;

namespace strata::gui {

class Banner;
class SizeBar;
class TableView;
class TrashPane;
class Workbench;

/// What takes the space, whether it is sound, and what lies in the trash; mending and cleaning.
class StoragePage final : public QWidget {
  Q_OBJECT

 public:
  StoragePage(Workbench& bench, QWidget* parent = nullptr);

  void verify(VerifyOptions::Level level);
  /// Fetches what is damaged or missing from a remote, and verifies again.
  void repair(const QString& remote);
  /// Brings back what lost its ref with what the store itself has, and verifies.
  void mend();
  /// Asks a remote again, which keeps anew what is damaged of it, and verifies quickly.
  void fetchKept(const QString& remote);
  /// Looks for what no version needs, and asks before it deletes that.
  void cleanUp();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void objectsListed();
  void verified();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeButtons();
  QStringList commands() const;
  void showRemotes(const RemoteList& list);
  void loadRemotes();
  void updateButtons();
  void showSnapshot(const SnapshotPtr& snapshot);
  void listObjects();
  void showObjects();
  /// Shows where a check stands; it is the one that Stop stops.
  void follow(Job* job);
  /// What a repair says of what it brought back.
  static QStringList mendedLines(const HereReport& here);
  static QStringList recoveredLines(const RecoverReport& report);
  void showReport(const VerifyReport& report, const QStringList& done = {});
  static QString damageText(const Damage& damage);
  /// Buttons for what can be mended, each for what it does mend.
  void offerRepairs(const VerifyReport& report);
  void confirmCleanUp(const GarbageReport& report);
  void cleanUpForGood();

  Workbench& bench_;
  std::vector<ObjectRow> objects_;
  std::unique_ptr<VerifyReport> report_;
  QPointer<Job> listing_;
  QPointer<Job> checking_;
  QStringList remotes_;
  bool isStale_ = true;  ///< the objects are to be listed when the page is shown
  Banner* banner_;
  QLabel* totals_;
  SizeBar* bar_;
  ObjectTable* objectTable_;
  TableView* objectView_;
  TrashPane* trash_;
  QPushButton* quick_;
  QPushButton* full_;
  QPushButton* rebuild_;
  QPushButton* stop_;
  QPushButton* clean_;
  QPushButton* repair_;
  QProgressBar* progress_;
};

}  // namespace strata::gui
