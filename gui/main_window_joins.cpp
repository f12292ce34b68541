#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QStatusBar>
#include <utility>

#include "core/store/store_location.h"
#include "gui/jobs/sample_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/main_window.h"
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
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/quit_question.h"
#include "gui/widgets/dialogs/version_editor.h"
#include "gui/widgets/panes/bundle_import.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

void MainWindow::joinPages() {
  connect(bench_, &Workbench::showVersion, this, [this](const QString& label) {
    if (!bench_->store() || label.isEmpty()) return;
    pages_->version().open(label);
    showPage(Page::Version);
  });
  connect(bench_, &Workbench::compare, this, [this](const QString& a, const QString& b) {
    showPage(Page::Compare);
    pages_->compare().compare(a, b);
  });
  connect(bench_, &Workbench::restore, this, [this](const QString& label) {
    showPage(Page::Restore);
    pages_->restore().begin(label);
  });
  connect(bench_, &Workbench::editNote, this, [this](const QString& label) {
    if (const ListRow* version = row(label)) editor_->editNote(*version);
  });
  connect(editor_, &VersionEditor::failed, this, &MainWindow::showProblem);
  connect(editor_, &VersionEditor::revertFailed, this, [this](const Problem& problem) {
    showProblem(problem);
    pages_->library().banner().addAction(tr("History"), [this] { showPage(Page::History); });
  });
  connect(editor_, &VersionEditor::renamed, this, &MainWindow::followRename);
  connect(editor_, &VersionEditor::reverted, this, &MainWindow::followRevert);
  connect(bench_, &Workbench::tune, this, [this](const QString& path) {
    showPage(Page::Tune);
    pages_->tune().begin(path);
  });
  connect(bench_, &Workbench::protect, this, [this](const QString& tensor) {
    showPage(Page::Tune);
    pages_->tune().protect(tensor);
  });
  connect(bench_, &Workbench::done, this,
          [this](const QString& what, const QString& undo, const std::function<void()>& act) {
            statusBar()->showMessage(what, 4000);
            if (undo.isEmpty()) return;
            pages_->library().banner().showNotice(Banner::Kind::Good, what);
            pages_->library().banner().addAction(undo, act);
          });
  connect(bench_, &Workbench::trouble, this, &MainWindow::showProblem);
  for (const Banner* banner : findChildren<Banner*>()) {
    connect(banner, &Banner::remedyRequested, this, &MainWindow::apply);
  }
  connect(&pages_->remotes(), &RemotesPage::transfersRequested, this,
          [this] { showPage(Page::Transfers); });
  connect(&pages_->hub(), &HubPage::getRequested, this, [this](const QString& url) {
    showPage(Page::Remotes);
    pages_->remotes().offer(url);
  });
  connect(&pages_->history(), &HistoryPage::reverted, this, &MainWindow::followRevert);
  connect(transfers_, &TransferList::changed, this, &MainWindow::showTransfers);
  connect(transfers_, &TransferList::ended, this,
          [this](const Transfer& transfer) { emit bench_->done(transfer.words, {}, {}); });
  connect(&pages_->version(), &VersionPage::back, this, [this] { showPage(Page::Library); });
  connect(&pages_->add(), &AddPage::closed, this, [this] { showPage(Page::Library); });
  connect(&pages_->restore(), &RestorePage::closed, this, [this] { showPage(Page::Library); });
  connect(&pages_->restore(), &RestorePage::fetchRequested, this,
          [this](const QString& remote, const QString& reference) {
            // A parent that was removed stays so.
            transfers_->add(TransferRequest{.direction = TransferRequest::Direction::Pull,
                                            .remote = remote.toStdString(),
                                            .references = {reference.toStdString()},
                                            .packsOnly = true});
            showPage(Page::Transfers);
          });
  connect(&pages_->add(), &AddPage::added, this,
          [this](const QString&) { bench_->session().refresh(); });
  connect(&pages_->tune(), &TunePage::profileSaved, this, [this](const QString& name) {
    loadProfiles();
    pages_->add().setProfile(name);
  });
  connect(&pages_->library(), &LibraryPage::selectionChanged, this, &MainWindow::updateActions);
  connect(&pages_->library(), &LibraryPage::menuRequested, this, &MainWindow::showMenu);
  connect(&pages_->welcome(), &WelcomePage::createRequested, this, [this](const QString& folder) {
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(&pages_->welcome(), &WelcomePage::openRequested, this,
          [this](const QString& folder) { openStore(folder); });
  connect(&pages_->welcome(), &WelcomePage::beginWith, this,
          [this](const QString& folder, const QString& model) {
            onceOpen_ = [this, model] { addModels({model}); };
            bench_->session().open(folder, StoreSession::Opening::Create);
          });
  connect(&pages_->welcome(), &WelcomePage::remoteRequested, this, [this](const QString& folder) {
    onceOpen_ = [this] { carryOut({DropPlan::Kind::Remote, {}, {}, {}}); };
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(&pages_->welcome(), &WelcomePage::sampleRequested, this, [this](const QString& folder) {
    onceOpen_ = [this] { addSample(); };
    bench_->session().open(folder, StoreSession::Opening::Create);
  });
  connect(&pages_->settings(), &SettingsPage::themeChosen, this, [this](Theme theme) {
    applyTheme(theme);
    preferences_.theme = name(theme);
    savePreferences();
  });
  connect(&pages_->settings(), &SettingsPage::tablesChosen, this, [this](bool asTables) {
    preferences_.tables = asTables;
    savePreferences();
    showCharts();
  });
  connect(&pages_->settings(), &SettingsPage::languageChosen, this, [this](const QString& code) {
    preferences_.language = code;
    savePreferences();
    pages_->settings().banner().showNotice(
        Banner::Kind::Notice, tr("The language changes when the window is opened anew."));
    pages_->settings().banner().addAction(tr("Open it anew"), [this] {
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
    // A list that was on its way may be older than the change.
    if (row(renamed_) != nullptr) pages_->library().select(std::exchange(renamed_, {}));
  });
  connect(&session, &StoreSession::closed, this, [this] {
    totals_->clear();
    for (const Place place : {Place::Library, Place::Tagged, Place::Unchecked}) {
      sidebar_->setCount(place, -1);
    }
    updateActions();
  });
  connect(&session, &StoreSession::failed, this, &MainWindow::showOpenProblem);
  connect(&session, &StoreSession::gone, this, [this](const Problem& problem) {
    pages_->welcome().setUnreadable(true);
    showWelcome(problem, bench_->session().folder());
  });
}

void MainWindow::openStore(const QString& folder, const QStringList& models) {
  if (!models.isEmpty()) onceOpen_ = [this, models] { addModels(models); };
  const QString usual = QString::fromStdString(defaultStoreFolder().string());
  bench_->session().open(folder.isEmpty() ? usual : folder);
}

void MainWindow::showProblem(const Problem& problem) {
  Banner& banner =
      page() == Page::Welcome ? pages_->welcome().banner() : pages_->library().banner();
  banner.showProblem(problem);
  if (page() != Page::Welcome) showPage(Page::Library);
}

void MainWindow::apply(Remedy remedy) {
  switch (remedy) {
    case Remedy::VerifyStore:
      showPage(Page::Storage);
      return pages_->storage().verify(VerifyOptions::Level::Full);
    case Remedy::FreeSpace:
      return showPage(Page::Storage);
    case Remedy::OpenStore:
      return chooseStore(false);
    case Remedy::LogIn:
      showPage(Page::Settings);
      return pages_->settings().showCredentials();
    case Remedy::None:
      return;
  }
}

void MainWindow::showOpenProblem(const Problem& problem) {
  if (bench_->store()) return showProblem(problem);  // open, but could not be listed
  const QString folder = bench_->session().folder();
  pages_->welcome().setUnreadable(problem.code != ErrorCode::NoStore);
  showWelcome(problem, folder);
  // A place where no store was made yet is where everybody begins, not a problem.
  const bool isFirstRun = problem.code == ErrorCode::NoStore &&
                          folder == QString::fromStdString(defaultStoreFolder().string());
  if (isFirstRun) pages_->welcome().banner().clear();
}

void MainWindow::showWelcome(const Problem& problem, const QString& folder) {
  pages_->welcome().setFolder(folder);
  showPage(Page::Welcome);
  pages_->welcome().banner().showProblem(problem);
  pages_->welcome().banner().addAction(tr("Try again"), [this, folder] { openStore(folder); });
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
  bench_->session().open(pages_->welcome().folder(), StoreSession::Opening::Create);
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
      return pages_->remotes().offer(plan.url);
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
    pages_->library().banner().showNotice(
        Banner::Kind::Good,
        tr("The sample is stored: the base %1 and %n version(s) tuned from it", nullptr,
           static_cast<int>(labels.size()) - 1)
            .arg(labels.front()),
        tr("Compare two of them, restore one to a file, or look at its tensors."));
    pages_->library().banner().addAction(tr("Compare"), [this, labels] {
      emit bench_->compare(labels[labels.size() - 2], labels.back());
    });
    pages_->library().banner().addAction(tr("Restore..."),
                                         [this, labels] { emit bench_->restore(labels.back()); });
    emit sampleAdded();
  });
  bench_->write(job);
}

void MainWindow::followRename(const QString& name, const QString& newName) {
  const QString chosen = selectedLabel();
  if (chosen.section(u':', 0, 0) != name) return;
  const QString label = newName + chosen.mid(name.size());
  if (page() == Page::Version) pages_->version().open(label);
  renamed_ = label;
}

void MainWindow::followRevert(const Operation& operation, bool again) {
  if (operation.renamedFrom.empty()) return;
  const QString from = text(operation.renamedFrom);
  const QString to = text(operation.renamedTo);
  again ? followRename(from, to) : followRename(to, from);
}

void MainWindow::askBeforeQuitting(const QStringList& tasks) {
  const auto* asked = findChild<QuitQuestion*>();
  if (asked != nullptr && asked->isVisible()) return;
  auto* question = new QuitQuestion(tasks, this);
  connect(question, &QuitQuestion::quitRequested, this, [this] {
    quits_ = true;
    close();
  });
  connect(question, &QuitQuestion::stayRequested, this, [this] { reopens_ = false; });
  question->open();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (const QStringList tasks = QuitQuestion::unfinishedTasks(bench_->session(), *transfers_);
      !tasks.isEmpty() && !quits_) {
    event->ignore();
    return askBeforeQuitting(tasks);
  }
  preferences_.geometry = saveGeometry();
  preferences_.columns = pages_->library().view().header()->saveState();
  savePreferences();  // the queue finishes it before the program ends
  QMainWindow::closeEvent(event);
  if (reopens_) emit reopenRequested();
}

}  // namespace strata::gui
