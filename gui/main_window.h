#pragma once

#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <optional>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/recode_version.h"
#include "gui/jobs/preferences.h"
#include "gui/models/problem_text.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/look/theme.h"

class QAction;
class QLabel;
class QStackedWidget;

namespace strata::gui {

class AddPage;
class BundleImport;
class ComparePage;
class HistoryPage;
class HubPage;
class LibraryPage;
class PlaceList;
class RemoteCounts;
class RemotesPage;
class RestorePage;
class SettingsPage;
class StoragePage;
class TransferList;
class TransfersPage;
class TunePage;
class VersionPage;
class WelcomePage;
class Workbench;

/// Joins the pages: sidebar, menus, status bar, drag and drop.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  enum class Page {
    Welcome,
    Library,
    Version,
    Compare,
    Add,
    Restore,
    Tune,
    Remotes,
    Hub,
    Transfers,
    Storage,
    History,
    Settings
  };

  explicit MainWindow(Preferences preferences, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens a store; an empty text means the usual one. Models are added once it is open.
  void openStore(const QString& folder, const QStringList& models = {});
  void showPage(Page page);
  Page page() const;
  /// To the page that was shown before.
  void goBack();

  Workbench& bench() noexcept { return *bench_; }
  WelcomePage& welcomePage() noexcept { return *welcome_; }
  LibraryPage& libraryPage() noexcept { return *library_; }
  VersionPage& versionPage() noexcept { return *version_; }
  ComparePage& comparePage() noexcept { return *compare_; }
  AddPage& addPage() noexcept { return *add_; }
  RestorePage& restorePage() noexcept { return *restore_; }
  TunePage& tunePage() noexcept { return *tune_; }
  RemotesPage& remotesPage() noexcept { return *remotes_; }
  HubPage& hubPage() noexcept { return *hub_; }
  TransferList& transfers() noexcept { return *transfers_; }
  BundleImport& bundleImport() noexcept { return *bundles_; }
  StoragePage& storagePage() noexcept { return *storage_; }
  HistoryPage& historyPage() noexcept { return *history_; }
  SettingsPage& settingsPage() noexcept { return *settings_; }
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

  void makePages();
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
  /// Says in the menu what undo and redo are about.
  void nameReversals();
  void updateSidebar();
  void showTransfers();
  void pushSelected();
  void addModels(const QStringList& paths);
  /// What a drop stands for; nothing without a store.
  void carryOut(const DropPlan& plan);
  void addSample();
  /// What this window does and would stop by closing, in words.
  QStringList unfinished() const;
  void askBeforeQuitting(const QStringList& unfinished);
  void compareSelected();
  void tagSelected();
  void renameSelected();
  void rename(const QString& name, const QString& newName);
  void removeVersions(const QStringList& labels);
  void prune();
  void recodeSelected();
  void recode(const RecodeOptions& options);
  void editNote(const QString& label);
  /// Says what was done, offers to take it back, and reads the list anew.
  void conclude(const QString& what, const std::optional<Operation>& operation);
  /// Takes an operation back, or does it again.
  void revert(const Operation& operation, bool again);
  /// What is open and selected of a name that is another one now.
  void followRename(const QString& name, const QString& newName);
  void followRevert(const Operation& operation, bool again);
  void chooseStore(bool isNew);
  void nextPane(int direction);
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
  QStackedWidget* stack_;
  PlaceList* sidebar_;
  WelcomePage* welcome_;
  LibraryPage* library_;
  VersionPage* version_;
  ComparePage* compare_;
  AddPage* add_;
  RestorePage* restore_;
  TunePage* tune_;
  RemotesPage* remotes_;
  HubPage* hub_;
  TransfersPage* transferView_;
  BundleImport* bundles_;
  StoragePage* storage_;
  HistoryPage* history_;
  SettingsPage* settings_;
  DropOverlay* overlay_;
  QLabel* totals_;
  QList<Page> before_;              ///< pages that were shown, the latest last
  std::function<void()> onceOpen_;  ///< what to do once a store is open
  bool quits_ = false;              ///< it was asked, and may
  bool reopens_ = false;            ///< it is closed to be made anew
};

}  // namespace strata::gui
