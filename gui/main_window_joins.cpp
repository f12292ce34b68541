#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <utility>

#include "core/store/store_location.h"
#include "gui/jobs/sample_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/main_window.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/history_page.h"
#include "gui/pages/hub_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/bundle_import.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

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
  connect(bench_, &Workbench::editNote, this, &MainWindow::editNote);
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
  connect(history_, &HistoryPage::reverted, this, &MainWindow::followRevert);
  connect(transfers_, &TransferList::changed, this, &MainWindow::showTransfers);
  connect(transfers_, &TransferList::ended, this,
          [this](const Transfer& transfer) { emit bench_->done(transfer.words, {}, {}); });
  connect(version_, &VersionPage::back, this, [this] { showPage(Page::Library); });
  connect(add_, &AddPage::closed, this, [this] { showPage(Page::Library); });
  connect(restore_, &RestorePage::closed, this, [this] { showPage(Page::Library); });
  connect(restore_, &RestorePage::fetchRequested, this,
          [this](const QString& remote, const QString& reference) {
            // A parent that was removed stays so.
            transfers_->add(TransferRequest{.direction = TransferRequest::Direction::Pull,
                                            .remote = remote.toStdString(),
                                            .references = {reference.toStdString()},
                                            .packsOnly = true});
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
            onceOpen_ = [this, model] { addModels({model}); };
            bench_->session().open(folder, StoreSession::Opening::Create);
          });
  connect(welcome_, &WelcomePage::remoteRequested, this, [this](const QString& folder) {
    onceOpen_ = [this] { carryOut({DropPlan::Kind::Remote, {}, {}, {}}); };
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(welcome_, &WelcomePage::sampleRequested, this, [this](const QString& folder) {
    onceOpen_ = [this] { addSample(); };
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
      reopens_ = true;
      close();  // keeps its place and size
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
    if (onceOpen_) std::exchange(onceOpen_, {})();
  });
  connect(&session, &StoreSession::listed, this, [this] {
    showTotals();
    updateSidebar();
    updateActions();
  });
  connect(&session, &StoreSession::closed, this, [this] {
    totals_->clear();
    for (const Place place : {Place::Library, Place::Tagged, Place::Unchecked}) {
      sidebar_->setCount(place, -1);
    }
    updateActions();
  });
  connect(&session, &StoreSession::failed, this, &MainWindow::showOpenProblem);
  connect(&session, &StoreSession::lost, this, [this](const Problem& problem) {
    welcome_->setUnreadable(true);
    showWelcome(problem, bench_->session().folder());
  });
}

void MainWindow::openStore(const QString& folder, const QStringList& models) {
  if (!models.isEmpty()) onceOpen_ = [this, models] { addModels(models); };
  const QString usual = QString::fromStdString(defaultStoreFolder().string());
  bench_->session().open(folder.isEmpty() ? usual : folder);
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
  welcome_->setUnreadable(problem.code != ErrorCode::NoStore);
  showWelcome(problem, folder);
  // A place where no store was made yet is where everybody begins, not a problem.
  const bool isFirstRun = problem.code == ErrorCode::NoStore &&
                          folder == QString::fromStdString(defaultStoreFolder().string());
  if (isFirstRun) welcome_->banner().clear();
}

void MainWindow::showWelcome(const Problem& problem, const QString& folder) {
  welcome_->setFolder(folder);
  showPage(Page::Welcome);
  welcome_->banner().showProblem(problem);
  welcome_->banner().addAction(tr("Try again"), [this, folder] { openStore(folder); });
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
  if (page() != Page::Welcome) return carryOut(plan);
  onceOpen_ = [this, plan] { carryOut(plan); };
  bench_->session().open(welcome_->folder(), StoreSession::Opening::Create);
}

void MainWindow::carryOut(const DropPlan& plan) {
  if (!bench_->store()) return;
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

void MainWindow::addSample() {
  auto* job = addSampleJob(bench_->store());
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const QStringList labels = job->report();
    bench_->session().refresh();
    library_->banner().showNotice(
        Banner::Kind::Good,
        tr("The sample is stored: the base %1 and %n version(s) tuned from it", nullptr,
           static_cast<int>(labels.size()) - 1)
            .arg(labels.front()),
        tr("Compare two of them, restore one to a file, or look at its tensors."));
    library_->banner().addAction(tr("Compare"), [this, labels] {
      emit bench_->compare(labels[labels.size() - 2], labels.back());
    });
    library_->banner().addAction(tr("Restore..."),
                                 [this, labels] { emit bench_->restore(labels.back()); });
    emit sampleAdded();
  });
  bench_->write(job);
}

QStringList MainWindow::unfinished() const {
  QStringList words;
  for (const Transfer& transfer : transfers_->transfers()) {
    const bool isOurs =
        transfer.state == Transfer::State::Running || transfer.state == Transfer::State::Waiting;
    if (!isOurs) continue;
    words << (transfer.direction == Transfer::Direction::Push ? tr("Push to %1")
                                                              : tr("Pull from %1"))
                 .arg(transfer.remote);
  }
  for (const Job* job : bench_->session().queue().writing()) {
    if (!transfers_->owns(*job)) words << job->title();
  }
  return words;
}

void MainWindow::askBeforeQuitting(const QStringList& unfinished) {
  const auto* asked = findChild<QMessageBox*>(QStringLiteral("quit"));
  if (asked != nullptr && asked->isVisible()) return;
  auto* box = new QMessageBox(
      QMessageBox::Question, tr("Quit Strata"),
      tr("%n unfinished task(s). Quit all the same?", nullptr, static_cast<int>(unfinished.size())),
      QMessageBox::NoButton, this);
  box->setObjectName(QStringLiteral("quit"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(
      unfinished.join(u'\n') + QStringLiteral("\n\n") +
      tr("Transfers go on where they stopped once the window is open again. What else runs is "
         "stopped: the store stays as it was before, and so do your files."));
  QPushButton* quit = box->addButton(tr("Quit"), QMessageBox::DestructiveRole);
  QPushButton* stay = box->addButton(tr("Stay"), QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  connect(quit, &QPushButton::clicked, this, [this] {
    quits_ = true;
    close();
  });
  connect(stay, &QPushButton::clicked, this, [this] { reopens_ = false; });
  box->open();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (const QStringList tasks = unfinished(); !tasks.isEmpty() && !quits_) {
    event->ignore();
    return askBeforeQuitting(tasks);
  }
  preferences_.geometry = saveGeometry();
  preferences_.columns = library_->view().header()->saveState();
  savePreferences();  // the queue finishes it before the program ends
  QMainWindow::closeEvent(event);
  if (reopens_) emit reopenRequested();
}

}  // namespace strata::gui
