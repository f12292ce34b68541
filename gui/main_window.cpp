#include "gui/main_window.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <algorithm>

#include "core/store/store_location.h"
#include "gui/jobs/remote_counts.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/main_window_actions.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/history_page.h"
#include "gui/pages/hub_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/transfers_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/job_strip.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/panes/bundle_import.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// The row of the sidebar for what the library shows.
Place placeOf(LineageModel::Shown shown) {
  switch (shown) {
    case LineageModel::Shown::Tagged:
      return Place::Tagged;
    case LineageModel::Shown::Unchecked:
      return Place::Unchecked;
    case LineageModel::Shown::All:
      break;
  }
  return Place::Library;
}

/// No part of the window is beyond its screen, whatever was kept of another one.
void keepOnScreen(QWidget& window) {
  if (window.isMaximized() || window.isFullScreen()) return;
  const QRect room = window.screen()->availableGeometry();
  window.resize(window.size().boundedTo(room.size()));
  const QRect now = window.geometry();
  window.move(std::max(room.x(), std::min(now.x(), room.right() + 1 - now.width())),
              std::max(room.y(), std::min(now.y(), room.bottom() + 1 - now.height())));
}

}  // namespace

MainWindow::MainWindow(Preferences preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(std::move(preferences)),
      bench_(new Workbench(this)),
      transfers_(new TransferList(bench_->session(), this)),
      remoteCounts_(new RemoteCounts(bench_->session(), this)),
      actions_(std::make_unique<Actions>()) {
  setWindowTitle(tr("Strata"));
  setWindowIcon(icon(QStringLiteral("strata")));
  setAcceptDrops(true);
  resize(1280, 800);
  makePages();
  makeSidebar();
  makeActions();
  makeMenus();
  makeStatusBar();
  joinPages();
  joinSession();
  if (!preferences_.geometry.isEmpty()) restoreGeometry(preferences_.geometry);
  keepOnScreen(*this);
  if (!preferences_.columns.isEmpty())
    library_->view().header()->restoreState(preferences_.columns);
  if (preferences_.tables) showCharts();
  showPage(Page::Library);
  updateActions();
  loadProfiles();
}

MainWindow::~MainWindow() = default;

void MainWindow::makePages() {
  const QString usual = QString::fromStdString(defaultStoreFolder().string());
  stack_ = new QStackedWidget;
  // In the order of Page.
  welcome_ = new WelcomePage(usual);
  library_ = new LibraryPage(*bench_);
  version_ = new VersionPage(*bench_);
  compare_ = new ComparePage(*bench_);
  add_ = new AddPage(*bench_);
  restore_ = new RestorePage(*bench_);
  tune_ = new TunePage(*bench_);
  remotes_ = new RemotesPage(*bench_, *transfers_);
  hub_ = new HubPage(*bench_);
  transferView_ = new TransfersPage(*bench_, *transfers_);
  bundles_ = new BundleImport(*bench_, remotes_->banner(), this);
  storage_ = new StoragePage(*bench_);
  history_ = new HistoryPage(*bench_);
  settings_ = new SettingsPage(*bench_, preferences_);
  for (QWidget* page : std::initializer_list<QWidget*>{
           welcome_, library_, version_, compare_, add_, restore_, tune_, remotes_, hub_,
           transferView_, storage_, history_, settings_}) {
    stack_->addWidget(page);
  }
  overlay_ = new DropOverlay(this);
}

void MainWindow::makeSidebar() {
  sidebar_ = new PlaceList;
  auto* middle = new QWidget;
  auto* line = new QHBoxLayout(middle);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  line->addWidget(sidebar_);
  line->addWidget(stack_, 1);
  setCentralWidget(middle);
  connect(sidebar_, &PlaceList::chosen, this, [this](Place place) {
    if (!bench_->store()) {
      return showPage(place == Place::Settings ? Page::Settings : Page::Welcome);
    }
    switch (place) {
      case Place::Library:
        library_->setShown(LineageModel::Shown::All);
        return showPage(Page::Library);
      case Place::Tagged:
        library_->setShown(LineageModel::Shown::Tagged);
        return showPage(Page::Library);
      case Place::Unchecked:
        library_->setShown(LineageModel::Shown::Unchecked);
        return showPage(Page::Library);
      case Place::Compare:
        return showPage(Page::Compare);
      case Place::Tune:
        return showPage(Page::Tune);
      case Place::Remotes:
        return showPage(Page::Remotes);
      case Place::Hub:
        return showPage(Page::Hub);
      case Place::Transfers:
        return showPage(Page::Transfers);
      case Place::Storage:
        return showPage(Page::Storage);
      case Place::History:
        return showPage(Page::History);
      case Place::Settings:
        return showPage(Page::Settings);
    }
  });
  connect(sidebar_, &PlaceList::remoteChosen, this, [this](const QString& name) {
    remotes_->showRemote(name);
    showPage(Page::Remotes);
  });
  connect(remoteCounts_, &RemoteCounts::changed, sidebar_, &PlaceList::setRemotes);
}

void MainWindow::makeStatusBar() {
  totals_ = new QLabel;
  totals_->setContentsMargins(8, 0, 0, 0);
  statusBar()->addWidget(totals_, 1);
  statusBar()->addPermanentWidget(new JobStrip(bench_->session().queue()));
}

void MainWindow::loadProfiles() {
  auto* job = profilesJob();
  connect(job, &Job::finished, this, [this, job] {
    QStringList names;
    for (const Profile& profile : job->report()) names << text(profile.name);
    add_->setProfiles(names);
    tune_->setProfiles(job->report());
  });
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  bench_->read(job);
}

void MainWindow::showCharts() {
  for (ChartFrame* frame : findChildren<ChartFrame*>()) frame->showAsTable(preferences_.tables);
}

MainWindow::Page MainWindow::page() const { return static_cast<Page>(stack_->currentIndex()); }

void MainWindow::goBack() {
  const Page from = page();
  while (!before_.isEmpty()) {
    const Page last = before_.takeLast();
    const bool isThere =
        bench_->store() ? last != Page::Welcome : last == Page::Welcome || last == Page::Settings;
    if (last == from || !isThere) continue;
    showPage(last);
    before_.removeLast();  // the way back is not one to go back to
    return;
  }
}

void MainWindow::showPage(Page page) {
  constexpr qsizetype kMostSteps = 50;
  if (page != this->page()) before_ << this->page();
  if (before_.size() > kMostSteps) before_.removeFirst();
  stack_->setCurrentIndex(static_cast<int>(page));
  switch (page) {
    case Page::Version:
      sidebar_->show(Place::Library);
      library_->setShown(LineageModel::Shown::All);
      version_->focusTabs();
      break;
    case Page::Compare:
      sidebar_->show(Place::Compare);
      break;
    case Page::Tune:
      sidebar_->show(Place::Tune);
      break;
    case Page::Remotes:
      sidebar_->show(Place::Remotes);
      break;
    case Page::Hub:
      sidebar_->show(Place::Hub);
      break;
    case Page::Transfers:
      sidebar_->show(Place::Transfers);
      break;
    case Page::Storage:
      sidebar_->show(Place::Storage);
      break;
    case Page::History:
      sidebar_->show(Place::History);
      break;
    case Page::Settings:
      sidebar_->show(Place::Settings);
      break;
    case Page::Library:
      sidebar_->show(placeOf(library_->model().shown()));
      library_->view().setFocus();
      break;
    default:
      sidebar_->show(Place::Library);
      library_->setShown(LineageModel::Shown::All);
      break;
  }
  sidebar_->setStoreOpen(bench_->store() != nullptr);
  updateActions();
}

void MainWindow::showTotals() {
  const SnapshotPtr& snapshot = bench_->session().snapshot();
  const StoreTotals& totals = snapshot->totals;
  const QString counts = tr("%n version(s)", nullptr, static_cast<int>(totals.versionCount)) +
                         QStringLiteral(", ") +
                         tr("%n base(s)", nullptr, static_cast<int>(totals.baseCount));
  totals_->setText(counts + QStringLiteral("   |   ") + totalsText(totals));
  QString hint = tr("%1 on disk").arg(exactBytesText(totals.objectBytes));
  if (totals.awaitedPacks > 0) {
    hint += u'\n' + tr("%n version(s) not here: %1 to fetch", nullptr,
                       static_cast<int>(totals.awaitedVersions))
                        .arg(exactBytesText(totals.awaitedBytes));
  }
  totals_->setToolTip(hint);
}

void MainWindow::updateSidebar() {
  const SnapshotPtr& snapshot = bench_->session().snapshot();
  int tagged = 0;
  int unchecked = 0;
  for (const ListRow& row : snapshot->rows) {
    tagged += row.version.tags.empty() ? 0 : 1;
    unchecked += snapshot->isUnchecked(row.version) ? 1 : 0;
  }
  sidebar_->setCount(Place::Library, static_cast<qsizetype>(snapshot->rows.size()));
  sidebar_->setCount(Place::Tagged, tagged);
  sidebar_->setCount(Place::Unchecked, unchecked);
}

void MainWindow::showTransfers() {
  const int open = transfers_->openCount();
  sidebar_->setCount(Place::Transfers, open == 0 ? -1 : open);
}

void MainWindow::savePreferences() {
  auto* job = new OpJob<bool>(
      tr("Saving preferences"), tr("The preferences could not be saved"),
      [kept = preferences_](const std::stop_token&, const ProgressSink&) -> Result<bool> {
        kept.save();
        return true;
      });
  bench_->read(job);
}

}  // namespace strata::gui
