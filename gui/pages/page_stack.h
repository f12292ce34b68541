#pragma once

#include <QList>
#include <QStackedWidget>

namespace strata::gui {

class AddPage;
class ComparePage;
class FilterEdit;
class HistoryPage;
class HubPage;
class LibraryPage;
struct Preferences;
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

/// The pages of the window, in the order of PageStack's widgets.
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

/// All pages, of which one is shown, and the way back to those that were shown before. Pages do not
/// know each other: the main window joins them.
class PageStack final : public QStackedWidget {
  Q_OBJECT

 public:
  /// `usualFolder`: of the store that the welcome page offers. All else is borrowed.
  PageStack(Workbench& bench, TransferList& transfers, const Preferences& preferences,
            const QString& usualFolder);

  Page page() const { return static_cast<Page>(currentIndex()); }
  /// Shows a page; goBack() leads to the one before.
  void show(Page page);
  /// Shows the last page before that there is: all but the first page need an open store. False
  /// where there is none.
  bool goBack(bool isStoreOpen);
  bool canGoBack() const noexcept { return !before_.isEmpty(); }

  /// Moves the focus to the next list, chart or filter of the page, or to the one before
  /// (`direction` -1). `first` comes before all of them.
  void focusNextPane(QWidget* first, int direction);
  /// The filter that is in sight; null where the page has none.
  FilterEdit* visibleFilter() const;

  WelcomePage& welcome() const noexcept { return *welcome_; }
  LibraryPage& library() const noexcept { return *library_; }
  VersionPage& version() const noexcept { return *version_; }
  ComparePage& compare() const noexcept { return *compare_; }
  AddPage& add() const noexcept { return *add_; }
  RestorePage& restore() const noexcept { return *restore_; }
  TunePage& tune() const noexcept { return *tune_; }
  RemotesPage& remotes() const noexcept { return *remotes_; }
  HubPage& hub() const noexcept { return *hub_; }
  StoragePage& storage() const noexcept { return *storage_; }
  HistoryPage& history() const noexcept { return *history_; }
  SettingsPage& settings() const noexcept { return *settings_; }

 private:
  WelcomePage* welcome_;
  LibraryPage* library_;
  VersionPage* version_;
  ComparePage* compare_;
  AddPage* add_;
  RestorePage* restore_;
  TunePage* tune_;
  RemotesPage* remotes_;
  HubPage* hub_;
  TransfersPage* transfers_;
  StoragePage* storage_;
  HistoryPage* history_;
  SettingsPage* settings_;
  QList<Page> before_;  ///< pages that were shown, the latest last
};

}  // namespace strata::gui
