#include "gui/main_window_actions.h"

#include <QAction>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSet>
#include <QToolBar>

#include "gui/models/columns/operation_columns.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/version_editor.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
void MainWindow::makeActions() {
  Actions& a = *actions_;
  const auto make = [this](const char* iconName, const QString& words, const QKeySequence& keys,
                           std::function<void()> act) {
    auto* action = new QAction(words, this);
    if (*iconName != '\0') action->setIcon(icon(QLatin1String(iconName)));
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [act = std::move(act)] { act(); });
    addAction(action);
    return action;
  };
  a.add = make("add", tr("&Add..."), QKeySequence::New, [this] { addModels({}); });
  a.open = make("folder", tr("&Open store..."), QKeySequence::Open, [this] { chooseStore(false); });
  a.create = make("storage", tr("New &store..."), {}, [this] { chooseStore(true); });
  a.quit = make("", tr("&Quit"), QKeySequence::Quit, [this] { close(); });
  a.copyHash = make("copy", tr("Copy &hash"), {}, [this] {
    const ListRow* const version = row(selectedLabel());
    if (version == nullptr) return;
    bench_->copy(text(toHex(version->version.contentDigest)), tr("the hash"));
  });
  a.filter = make("search", tr("&Filter"), QKeySequence::Find, [this] { focusFilter(); });
  a.filter->setShortcuts({QKeySequence(QKeySequence::Find), Qt::Key_Slash});
  a.undo = make("undo", tr("&Undo"), QKeySequence::Undo, [this] {
    const auto done = bench_->session().snapshot()->next.undo;
    if (done) editor_->revert(*done, false);
  });
  a.redo = make("redo", tr("Re&do"), QKeySequence::Redo, [this] {
    const auto undone = bench_->session().snapshot()->next.redo;
    if (undone) editor_->revert(*undone, true);
  });
  a.library = make("library", tr("&Library"), tr("Alt+1"), [this] {
    pages_->library().setShown(LineageModel::Shown::All);
    sidebar_->show(Place::Library);
    showPage(Page::Library);
  });
  a.tagged = make("tag", tr("&Tagged"), tr("Alt+2"), [this] { sidebar_->choose(Place::Tagged); });
  a.compareView = make("compare", tr("&Compare"), tr("Alt+3"), [this] { showPage(Page::Compare); });
  a.storage = make("storage", tr("&Storage"), tr("Alt+4"), [this] { showPage(Page::Storage); });
  a.history = make("history", tr("&History"), tr("Alt+5"), [this] { showPage(Page::History); });
  a.back = make("back", tr("&Back"), QKeySequence::Back, [this] { goBack(); });
  a.refresh = make("refresh", tr("&Refresh"), QKeySequence::Refresh,
                   [this] { bench_->session().refresh(); });
  a.nextPane = make("", tr("&Next pane"), tr("F6"), [this] { pages_->focusNextPane(sidebar_, 1); });
  a.previousPane = make("", tr("&Previous pane"), tr("Shift+F6"),
                        [this] { pages_->focusNextPane(sidebar_, -1); });
  a.details = make("info", tr("&Details"), tr("Ctrl+I"),
                   [this] { emit bench_->showVersion(selectedLabel()); });
  a.restore = make("restore", tr("&Restore..."), tr("Ctrl+R"),
                   [this] { emit bench_->restore(selectedLabel()); });
  a.compare = make("compare", tr("&Compare"), tr("Ctrl+D"), [this] { compareSelected(); });
  a.compareBase = make("", tr("Compare with its &base"), {},
                       [this] { emit bench_->compare({}, selectedLabel()); });
  a.tag = make("tag", tr("&Tag..."), tr("Ctrl+T"), [this] { editor_->tag(selectedLabel()); });
  a.rename = make("", tr("Re&name..."), tr("F2"), [this] { editor_->rename(selectedName()); });
  a.note = make("note", tr("N&ote..."), tr("Ctrl+E"), [this] {
    if (const ListRow* version = row(selectedLabel())) editor_->editNote(*version);
  });
  a.recode = make("", tr("R&ecode..."), {}, [this] {
    if (const ListRow* version = row(selectedLabel())) editor_->recode(*version);
  });
  a.prune = make("", tr("&Prune versions..."), {}, [this] { editor_->prune(selectedName()); });
  a.remove = make("trash", tr("&Move to trash"), QKeySequence::Delete,
                  [this] { editor_->remove(pages_->library().selectedVersions()); });
  auto* commands = new QMenu(tr("Copy as co&mmand"), this);
  commands->setIcon(icon(QStringLiteral("terminal")));
  connect(commands, &QMenu::aboutToShow, this,
          [this, commands] { fillWithCommands(*commands, *bench_, this->commands()); });
  a.copyCommand = commands->menuAction();
  a.push = make("push", tr("&Push..."), tr("Ctrl+Shift+P"), [this] { pushSelected(); });
  a.pull = make("pull", tr("Pu&ll..."), tr("Ctrl+Shift+L"), [this] { showPage(Page::Remotes); });
  a.searchHubs =
      make("search", tr("Search &hubs..."), tr("Ctrl+H"), [this] { showPage(Page::Hub); });
  a.transfers =
      make("transfers", tr("&Transfers"), tr("Ctrl+L"), [this] { showPage(Page::Transfers); });
  a.verify = make("verify", tr("&Verify store"), {}, [this] {
    showPage(Page::Storage);
    pages_->storage().verify(VerifyOptions::Level::Full);
  });
  a.tune = make("profile", tr("&Tune a model..."), {}, [this] { showPage(Page::Tune); });
  a.settings = make("settings", tr("&Settings"), QKeySequence::Preferences,
                    [this] { showPage(Page::Settings); });
  a.sample = make("library", tr("Add a small &sample"), {}, [this] { addSample(); });
  a.keys = make("", tr("&Keys"), QKeySequence::HelpContents, [this] { showKeys(); });
  a.about = make("", tr("&About Strata"), {}, [this] { showAbout(); });
}

void MainWindow::makeMenus() {
  const Actions& a = *actions_;
  const auto fill = [this](const QString& title, std::initializer_list<QAction*> actions) {
    QMenu* menu = menuBar()->addMenu(title);
    for (QAction* action : actions) {
      action == nullptr ? void(menu->addSeparator()) : menu->addAction(action);
    }
  };
  fill(tr("&File"), {a.add, nullptr, a.open, a.create, nullptr, a.quit});
  fill(tr("&Edit"), {a.undo, a.redo, nullptr, a.copyHash, a.copyCommand, nullptr, a.filter});
  fill(tr("&View"), {a.library, a.tagged, a.compareView, a.storage, a.history, nullptr, a.back,
                     a.nextPane, a.previousPane, nullptr, a.refresh});
  fill(tr("Ve&rsion"), {a.details, a.restore, a.compare, a.compareBase, nullptr, a.tag, a.note,
                        a.rename, nullptr, a.recode, a.prune, a.remove});
  fill(tr("Re&mote"), {a.push, a.pull, a.searchHubs, a.transfers});
  fill(tr("&Tools"), {a.verify, a.tune, nullptr, a.settings});
  fill(tr("&Help"), {a.sample, nullptr, a.keys, a.about});
  auto* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setIconSize(QSize(20, 20));
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (QAction* action : {a.add, a.restore, a.compare, a.tag, a.remove}) bar->addAction(action);
  bar->addSeparator();
  bar->addAction(a.push);
  bar->addAction(a.pull);
  bar->addSeparator();
  bar->addAction(a.verify);
}

QString MainWindow::selectedLabel() const {
  if (page() == Page::Version) return pages_->version().label();
  const QStringList labels = pages_->library().selection();
  return labels.isEmpty() ? QString() : labels.front();
}

QString MainWindow::selectedName() const {
  if (page() == Page::Version) return pages_->version().label().section(u':', 0, 0);
  const QStringList labels = pages_->library().selection();
  QSet<QString> names;
  for (const QString& label : labels) names << label.section(u':', 0, 0);
  return names.size() == 1 ? *names.cbegin() : QString();
}

const ListRow* MainWindow::row(const QString& label) const {
  const SnapshotPtr& snapshot = bench_->session().snapshot();
  if (!snapshot) return nullptr;
  for (const ListRow& one : snapshot->rows) {
    if (labelText(one.version) == label) return &one;
  }
  return nullptr;
}

QStringList MainWindow::commands() const {
  const auto command = [this](const char* name) { return bench_->command(QLatin1String(name)); };
  const bool isOnPage = page() == Page::Version;
  const QStringList labels =
      isOnPage ? QStringList{pages_->version().label()} : pages_->library().selection();
  const QStringList versions = isOnPage ? labels : pages_->library().selectedVersions();
  QStringList all;
  for (const QString& label : labels.mid(0, 2)) all << command("show").word(label).text();
  if (labels.size() <= 2) all << command("diff").words(labels).text();
  return all << command("push").words(versions).text() << command("remove").words(versions).text();
}

void MainWindow::updateActions() {
  const Actions& a = *actions_;
  const bool isOpen = bench_->store() != nullptr;
  const auto count = page() == Page::Version ? 1 : pages_->library().selection().size();
  const bool hasOne = isOpen && count == 1;
  for (QAction* action :
       {a.details, a.restore, a.compareBase, a.tag, a.note, a.recode, a.copyHash}) {
    action->setEnabled(hasOne);
  }
  a.rename->setEnabled(isOpen && !selectedName().isEmpty());
  a.copyCommand->setEnabled(isOpen && count > 0);
  a.compare->setEnabled(isOpen && (count == 1 || count == 2));
  a.remove->setEnabled(isOpen && count > 0 && page() == Page::Library);
  nameReversals();
  for (QAction* action :
       {a.filter, a.library, a.tagged, a.compareView, a.storage, a.refresh, a.verify, a.tune,
        a.sample, a.add, a.push, a.pull, a.transfers, a.searchHubs, a.history, a.prune}) {
    action->setEnabled(isOpen);
  }
  a.back->setEnabled(pages_->canGoBack());
}

void MainWindow::nameReversals() {
  const SnapshotPtr& snapshot = bench_->session().snapshot();
  const auto offer = [](QAction& action, const QString& verb, const QString& words,
                        const std::optional<Operation>& operation) {
    // An ampersand would underline what follows it.
    action.setText(operation
                       ? words.arg(operationText(*operation).replace(u'&', QStringLiteral("&&")))
                       : verb);
    action.setEnabled(operation.has_value());
  };
  const Reversals next = snapshot ? snapshot->next : Reversals{};
  offer(*actions_->undo, tr("&Undo"), tr("&Undo %1"), next.undo);
  offer(*actions_->redo, tr("Re&do"), tr("Re&do %1"), next.redo);
}

void MainWindow::showMenu(const QPoint& place) {
  const Actions& a = *actions_;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions({a.details, a.restore, a.compare, a.compareBase, a.tag, a.note, a.rename});
  menu->addSeparator();
  menu->addActions({a.copyHash, a.copyCommand});
  menu->addSeparator();
  menu->addActions({a.recode, a.prune, a.remove});
  menu->popup(place);
}

void MainWindow::addModels(const QStringList& paths) {
  if (!bench_->store()) return;
  showPage(Page::Add);
  pages_->add().begin(paths);
}

void MainWindow::compareSelected() {
  const QStringList labels = pages_->library().selection();
  if (page() != Page::Version && labels.size() == 2) {
    emit bench_->compare(labels[0], labels[1]);
  } else {
    emit bench_->compare({}, selectedLabel());
  }
}

void MainWindow::pushSelected() {
  const QStringList labels = page() == Page::Version ? QStringList{pages_->version().label()}
                                                     : pages_->library().selectedVersions();
  showPage(Page::Remotes);
  pages_->remotes().push(labels);
}

void MainWindow::chooseStore(bool isNew) {
  auto* dialog =
      new QFileDialog(this, isNew ? tr("A folder for the new store") : tr("Open a store"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, [this, isNew](const QString& folder) {
    bench_->session().open(folder,
                           isNew ? StoreSession::Opening::Create : StoreSession::Opening::Existing);
  });
  dialog->open();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  // What nobody on the page had a use for. A page that one came to leads back.
  const bool isVisited = page() == Page::Version || page() == Page::Restore || page() == Page::Add;
  if (event->key() == Qt::Key_Escape && isVisited) return goBack();
  QMainWindow::keyPressEvent(event);
}

void MainWindow::focusFilter() {
  if (pages_->visibleFilter() == nullptr) showPage(Page::Library);
  if (FilterEdit* filter = pages_->visibleFilter()) filter->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::showKeys() {
  QString rows;
  for (const QAction* action : actions()) {
    if (action->shortcut().isEmpty()) continue;
    QString words = action->text();
    words.remove(u'&').remove(QStringLiteral("..."));
    rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                         .toHtmlEscaped(),
                     words.toHtmlEscaped());
  }
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Keys"), {}, QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::RichText);
  box->setText(
      QStringLiteral("<table>%1</table>").arg(rows) +
      tr("<p>Charts: arrows walk through the points. Lists: Ctrl+C copies, Esc clears.</p>"));
  box->open();
}

void MainWindow::showAbout() {
  auto* box =
      new QMessageBox(QMessageBox::NoIcon, tr("About Strata"), {}, QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIconPixmap(icon(QStringLiteral("strata")).pixmap(QSize(64, 64), devicePixelRatioF()));
  box->setText(
      tr("<h3>Strata %1</h3><p>Stores fine-tuned models as small differences to their base."
         "</p><p>Apache License 2.0. Uses Qt %2.</p>")
          .arg(QStringLiteral(STRATA_VERSION), QLatin1String(qVersion())));
  box->open();
}

}  // namespace strata::gui
