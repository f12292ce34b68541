#include "gui/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>

#include "core/store/store_location.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/main_window_actions.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
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
#include "gui/widgets/bundle_import.h"
#include "gui/widgets/chart_frame.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/job_strip.h"
#include "gui/widgets/lineage_view.h"
#include "gui/widgets/place_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
MainWindow::MainWindow(Preferences preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(std::move(preferences)),
      bench_(new Workbench(this)),
      transfers_(new TransferList(bench_->session(), this)),
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
  settings_ = new SettingsPage(*bench_, preferences_);
  for (QWidget* page :
       std::initializer_list<QWidget*>{welcome_, library_, version_, compare_, add_, restore_,
                                       tune_, remotes_, hub_, transferView_, storage_, settings_}) {
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
    if (!bench_->store()) return;
    switch (place) {
      case Place::Library:
      case Place::Tagged:
        library_->setOnlyTagged(place == Place::Tagged);
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
      case Place::Settings:
        return showPage(Page::Settings);
    }
  });
}

void MainWindow::makeStatusBar() {
  totals_ = new QLabel;
  totals_->setContentsMargins(8, 0, 0, 0);
  statusBar()->addWidget(totals_, 1);
  statusBar()->addPermanentWidget(new JobStrip(bench_->session().queue()));
}

void MainWindow::joinPages() {
  connect(bench_, &Workbench::showVersion, this, [this](const QString& label) {
    if (!bench_->store() || label.isEmpty()) return;
    version_->open(label);
    showPage(Page::Version);
  });
  connect(bench_, &Workbench::compare, this, [this](const QString& a, const QString& b) {
    showPage(Page::Compare);
    compare_->compare(a, b);
  });
  connect(bench_, &Workbench::restore, this, [this](const QString& label) {
    showPage(Page::Restore);
    restore_->begin(label);
  });
  connect(bench_, &Workbench::tune, this, [this](const QString& path) {
    showPage(Page::Tune);
    tune_->begin(path);
  });
  connect(bench_, &Workbench::protect, this, [this](const QString& tensor) {
    showPage(Page::Tune);
    tune_->protect(tensor);
  });
  connect(bench_, &Workbench::done, this,
          [this](const QString& what, const QString& undo, const std::function<void()>& act) {
            statusBar()->showMessage(what, 4000);
            if (undo.isEmpty()) return;
            library_->banner().showNotice(Banner::Kind::Good, what);
            library_->banner().addAction(undo, act);
          });
  connect(bench_, &Workbench::trouble, this, &MainWindow::showProblem);
  for (const Banner* banner : findChildren<Banner*>()) {
    connect(banner, &Banner::remedyRequested, this, &MainWindow::apply);
  }
  connect(remotes_, &RemotesPage::transfersRequested, this, [this] { showPage(Page::Transfers); });
  connect(hub_, &HubPage::getRequested, this, [this](const QString& url) {
    showPage(Page::Remotes);
    remotes_->offer(url);
  });
  connect(transfers_, &TransferList::changed, this, &MainWindow::showTransfers);
  connect(transfers_, &TransferList::ended, this,
          [this](const Transfer& transfer) { emit bench_->done(transfer.words, {}, {}); });
  connect(version_, &VersionPage::back, this, [this] { showPage(Page::Library); });
  connect(add_, &AddPage::closed, this, [this] { showPage(Page::Library); });
  connect(restore_, &RestorePage::closed, this, [this] { showPage(Page::Library); });
  connect(restore_, &RestorePage::fetchRequested, this,
          [this](const QString& remote, const QString& reference) {
            transfers_->add(Transfer::Direction::Pull, remote, {reference});
            showPage(Page::Transfers);
          });
  connect(add_, &AddPage::added, this, [this](const QString&) { bench_->session().refresh(); });
  connect(tune_, &TunePage::profileSaved, this, [this](const QString& name) {
    loadProfiles();
    add_->setProfile(name);
  });
  connect(library_, &LibraryPage::selectionChanged, this, &MainWindow::updateActions);
  connect(library_, &LibraryPage::menuRequested, this, &MainWindow::showMenu);
  connect(welcome_, &WelcomePage::createRequested, this, [this](const QString& folder) {
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(welcome_, &WelcomePage::openRequested, this,
          [this](const QString& folder) { openStore(folder); });
  connect(welcome_, &WelcomePage::beginWith, this,
          [this](const QString& folder, const QString& model) {
            pending_ = {DropPlan::Kind::Models, {model}, {}, {}};
            bench_->session().open(folder, StoreSession::Opening::Create);
          });
  connect(welcome_, &WelcomePage::remoteRequested, this, [this](const QString& folder) {
    pending_ = {DropPlan::Kind::Remote, {}, {}, {}};
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(settings_, &SettingsPage::themeChosen, this, [this](Theme theme) {
    applyTheme(theme);
    preferences_.theme = name(theme);
    savePreferences();
  });
  connect(settings_, &SettingsPage::tablesChosen, this, [this](bool asTables) {
    preferences_.tables = asTables;
    savePreferences();
    showCharts();
  });
  connect(settings_, &SettingsPage::languageChosen, this, [this](const QString& code) {
    preferences_.language = code;
    savePreferences();
    settings_->banner().showNotice(Banner::Kind::Notice,
                                   tr("The language changes when the window is opened anew."));
    settings_->banner().addAction(tr("Open it anew"), [this] {
      close();  // keeps its place and size
      emit reopenRequested();
    });
  });
}

void MainWindow::joinSession() {
  StoreSession& session = bench_->session();
  connect(&session, &StoreSession::opened, this, [this] {
    const QString folder = bench_->session().folder();
    setWindowTitle(tr("Strata - %1").arg(folder.section(u'/', -1, -1, QString::SectionSkipEmpty)));
    showPage(Page::Library);
    preferences_.store = folder;
    savePreferences();
    beginPending();
  });
  connect(&session, &StoreSession::listed, this, [this] {
    showTotals();
    updateSidebar();
    updateActions();
  });
  connect(&session, &StoreSession::closed, this, [this] {
    totals_->clear();
    updateActions();
  });
  connect(&session, &StoreSession::failed, this, &MainWindow::showOpenProblem);
}

void MainWindow::openStore(const QString& folder, const QStringList& models) {
  if (!models.isEmpty()) pending_ = {DropPlan::Kind::Models, models, {}, {}};
  const QString usual = QString::fromStdString(defaultStoreFolder().string());
  bench_->session().open(folder.isEmpty() ? usual : folder);
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

void MainWindow::showPage(Page page) {
  stack_->setCurrentIndex(static_cast<int>(page));
  switch (page) {
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
    case Page::Settings:
      sidebar_->show(Place::Settings);
      break;
    case Page::Library:
      if (sidebar_->current() != Place::Tagged) sidebar_->show(Place::Library);
      library_->view().setFocus();
      break;
    default:
      sidebar_->show(Place::Library);
      library_->setOnlyTagged(false);
      break;
  }
  sidebar_->setEnabled(page != Page::Welcome);
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
  for (const ListRow& row : snapshot->rows) tagged += row.version.tags.empty() ? 0 : 1;
  sidebar_->setCount(Place::Library, static_cast<qsizetype>(snapshot->rows.size()));
  sidebar_->setCount(Place::Tagged, tagged);
}

void MainWindow::showTransfers() {
  const int open = transfers_->openCount();
  sidebar_->setCount(Place::Transfers, open == 0 ? -1 : open);
}

void MainWindow::showProblem(const Problem& problem) {
  Banner& banner = page() == Page::Welcome ? welcome_->banner() : library_->banner();
  banner.showProblem(problem);
  if (page() != Page::Welcome) showPage(Page::Library);
}

void MainWindow::apply(Remedy remedy) {
  switch (remedy) {
    case Remedy::VerifyStore:
      showPage(Page::Storage);
      return storage_->verify(VerifyOptions::Level::Full);
    case Remedy::FreeSpace:
      return showPage(Page::Storage);
    case Remedy::OpenStore:
      return chooseStore(false);
    case Remedy::LogIn:
      showPage(Page::Settings);
      return settings_->showCredentials();
    case Remedy::None:
      return;
  }
}

void MainWindow::showOpenProblem(const Problem& problem) {
  if (bench_->store()) return showProblem(problem);  // open, but could not be listed
  const QString folder = bench_->session().folder();
  welcome_->setFolder(folder);
  showPage(Page::Welcome);
  // A place where no store was made yet is where everybody begins, not a problem.
  const bool isFirstRun = problem.code == ErrorCode::NoStore &&
                          folder == QString::fromStdString(defaultStoreFolder().string());
  if (isFirstRun) return welcome_->banner().clear();
  welcome_->banner().showProblem(problem);
  welcome_->banner().addAction(tr("Try again"), [this, folder] { openStore(folder); });
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

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls() && !event->mimeData()->hasText()) return;
  overlay_->showPlan(planDrop(*event->mimeData()));
  event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { overlay_->hide(); }

void MainWindow::dropEvent(QDropEvent* event) {
  overlay_->hide();
  const DropPlan plan = planDrop(*event->mimeData());
  if (plan.kind == DropPlan::Kind::Refused) return event->ignore();
  event->acceptProposedAction();
  pending_ = plan;
  if (page() == Page::Welcome) {
    bench_->session().open(welcome_->folder(), StoreSession::Opening::Create);
  } else {
    beginPending();
  }
}

void MainWindow::beginPending() {
  if (!bench_->store()) return;
  const DropPlan plan = std::exchange(pending_, {});
  switch (plan.kind) {
    case DropPlan::Kind::Models:
      return addModels(plan.paths);
    case DropPlan::Kind::Bundle:
      showPage(Page::Remotes);
      return bundles_->offer(plan.paths.front());
    case DropPlan::Kind::Remote:
      showPage(Page::Remotes);
      return remotes_->offer(plan.url);
    case DropPlan::Kind::Refused:
      return;
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  preferences_.geometry = saveGeometry();
  preferences_.columns = library_->view().header()->saveState();
  savePreferences();  // the queue finishes it before the program ends
  QMainWindow::closeEvent(event);
}

}  // namespace strata::gui
