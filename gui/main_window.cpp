#include "gui/main_window.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScreen>
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
#include "gui/widgets/dialogs/version_editor.h"
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
      actions_(std::make_unique<Actions>()),
      pages_(new PageStack(*bench_, *transfers_, preferences_,
                           QString::fromStdString(defaultStoreFolder().string()))),
      editor_(new VersionEditor(*bench_, pages_->library().banner(), this)),
      bundles_(new BundleImport(*bench_, pages_->remotes().banner(), this)),
      overlay_(new DropOverlay(this)) {
  setWindowTitle(tr("Strata"));
  setWindowIcon(icon(QStringLiteral("strata")));
  setAcceptDrops(true);
  resize(1280, 800);
  makeSidebar();
  makeActions();
  makeMenus();
  makeStatusBar();
  joinPages();
  joinSession();
  if (!preferences_.geometry.isEmpty()) restoreGeometry(preferences_.geometry);
  keepOnScreen(*this);
  if (!preferences_.columns.isEmpty())
    pages_->library().view().header()->restoreState(preferences_.columns);
  if (preferences_.tables) showCharts();
  showPage(Page::Library);
  updateActions();
  loadProfiles();
}

MainWindow::~MainWindow() = default;

void MainWindow::makeSidebar() {
  sidebar_ = new PlaceList;
  auto* middle = new QWidget;
  auto* line = new QHBoxLayout(middle);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  line->addWidget(sidebar_);
  line->addWidget(pages_, 1);
  setCentralWidget(middle);
  connect(sidebar_, &PlaceList::chosen, this, [this](Place place) {
    if (!bench_->store()) {
      return showPage(place == Place::Settings ? Page::Settings : Page::Welcome);
    }
    switch (place) {
      case Place::Library:
        pages_->library().setShown(LineageModel::Shown::All);
        return showPage(Page::Library);
      case Place::Tagged:
        pages_->library().setShown(LineageModel::Shown::Tagged);
        return showPage(Page::Library);
      case Place::Unchecked:
        pages_->library().setShown(LineageModel::Shown::Unchecked);
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
    pages_->remotes().showRemote(name);
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
    pages_->add().setProfiles(names);
    pages_->tune().setProfiles(job->report());
  });
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  bench_->read(job);
}

void MainWindow::showCharts() {
  for (ChartFrame* frame : findChildren<ChartFrame*>()) frame->showAsTable(preferences_.tables);
}

void MainWindow::goBack() {
  if (pages_->goBack(bench_->store() != nullptr)) markPlace(page());
}

void MainWindow::showPage(Page page) {
  if (page == Page::Compare) pages_->compare().suggest(selectedLabel());
  pages_->show(page);
  markPlace(page);
}

void MainWindow::markPlace(Page page) {
  switch (page) {
    case Page::Version:
      sidebar_->show(Place::Library);
      pages_->library().setShown(LineageModel::Shown::All);
      pages_->version().focusTabs();
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
      sidebar_->show(placeOf(pages_->library().model().shown()));
      pages_->library().view().setFocus();
      break;
    default:
      sidebar_->show(Place::Library);
      pages_->library().setShown(LineageModel::Shown::All);
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
