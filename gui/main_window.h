#pragma once

#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <optional>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/operation_history.h"
#include "gui/jobs/preferences.h"
#include "gui/models/problem_text.h"
#include "gui/pages/page_stack.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/look/theme.h"

class QAction;
class QLabel;

namespace strata::gui {

class BundleImport;
class PlaceList;
class RemoteCounts;
class TransferList;
class VersionEditor;
class Workbench;

/// Joins the pages: sidebar, menus, status bar, drag and drop.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(Preferences preferences, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens a store; an empty text means the usual one. Models are added once it is open.
  void openStore(const QString& folder, const QStringList& models = {});
  void showPage(Page page);
  Page page() const { return pages_->page(); }
  /// To the page that was shown before.
  void goBack();

  Workbench& bench() noexcept { return *bench_; }
  const PageStack& pages() const noexcept { return *pages_; }
  TransferList& transfers() noexcept { return *transfers_; }
  BundleImport& bundleImport() noexcept { return *bundles_; }
  DropOverlay& dropOverlay() noexcept { return *overlay_; }

 signals:
  /// The window is to be made anew: a setting asks for it.
  void reopenRequested();
  void sampleAdded();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Actions;

  void makeSidebar();
  void makeActions();
  void makeMenus();
  void makeStatusBar();
  void joinPages();
  void joinSession();
  void loadProfiles();
  /// All as charts or all as tables, as the preferences say.
  void showCharts();
  void showTotals();
  void showProblem(const Problem& problem);
  void showOpenProblem(const Problem& problem);
  /// Where people begin, with what went wrong with a store and a button that opens it again.
  void showWelcome(const Problem& problem, const QString& folder);
  void apply(Remedy remedy);
  void updateActions();
  /// Marks the row of the sidebar that a page belongs to.
  void markPlace(Page page);
  /// Says in the menu what undo and redo are about.
  void nameReversals();
  void updateSidebar();
  void showTransfers();
  void pushSelected();
  void addModels(const QStringList& paths);
  /// What a drop stands for; nothing without a store.
  void carryOut(const DropPlan& plan);
  void addSample();
  void askBeforeQuitting(const QStringList& tasks);
  void compareSelected();
  /// What is open and selected of a name that is another one now.
  void followRename(const QString& name, const QString& newName);
  void followRevert(const Operation& operation, bool again);
  void chooseStore(bool isNew);
  /// Of the page, or of the library where that has none.
  void focusFilter();
  void showKeys();
  void showAbout();
  void showMenu(const QPoint& place);
  QString selectedLabel() const;
  /// That all selected versions have; empty if they have several.
  QString selectedName() const;
  /// The listed version of a label; null for one that is gone.
  const ListRow* row(const QString& label) const;
  /// What can be done to the selected versions, as commands.
  QStringList commands() const;
  void savePreferences();

  Preferences preferences_;
  Workbench* bench_;
  TransferList* transfers_;
  RemoteCounts* remoteCounts_;
  std::unique_ptr<Actions> actions_;
  PageStack* pages_;
  VersionEditor* editor_;
  PlaceList* sidebar_;
  BundleImport* bundles_;
  DropOverlay* overlay_;
  QLabel* totals_;
  QString renamed_;                 ///< to be selected once a list has it; or empty
  std::function<void()> onceOpen_;  ///< what to do once a store is open
  bool quits_ = false;              ///< it was asked, and may
  bool reopens_ = false;            ///< it is closed to be made anew
};

}  // namespace strata::gui
