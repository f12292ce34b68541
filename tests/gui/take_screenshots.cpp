// Drives the window through its screens and states and saves a picture of each:
// scripts/screenshots.
//
//   strata_gui_screenshots OUT_DIR STORE EXAMPLES_DIR [light|dark|contrast]
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QUrl>
#include <cstdio>
#include <functional>

#include "gui/jobs/transfer_list.h"
#include "gui/main_window.h"
#include "gui/models/lineage_model.h"
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
#include "gui/widgets/dialogs/note_dialog.h"
#include "gui/widgets/dialogs/prune_dialog.h"
#include "gui/widgets/dialogs/recode_dialog.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "gui/widgets/dialogs/tag_dialog.h"
#include "gui/widgets/drop_overlay.h"
#include "gui/widgets/look/languages.h"
#include "gui/widgets/look/theme.h"
#include "gui/widgets/panes/push_pane.h"
#include "gui/widgets/panes/repository_pane.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// Waits for a signal that `act` leads to; ends the program if it does not come.
template <typename Sender, typename Signal>
void after(Sender* sender, Signal signal, const char* what, const std::function<void()>& act) {
  bool came = false;
  const auto link = QObject::connect(sender, signal, sender, [&came] { came = true; });
  act();
  const bool isInTime = QTest::qWaitFor([&came] { return came; }, 300'000);
  QObject::disconnect(link);
  if (isInTime) return;
  std::fprintf(stderr, "screenshots: waited in vain for %s\n", what);
  std::exit(1);
}

DropPlan planFile(const QString& path) {
  QMimeData dragged;
  dragged.setUrls({QUrl::fromLocalFile(path)});
  return planDrop(dragged);
}

DropPlan planText(const QString& words) {
  QMimeData dragged;
  dragged.setText(words);
  return planDrop(dragged);
}

class Camera {
 public:
  Camera(MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}

  void take(const char* name) { save(window_, name); }

  void save(QWidget& widget, const char* name) {
    QCoreApplication::processEvents();
    QTest::qWait(60);  // hover and layout settle
    const QString file = QStringLiteral("%1/%2.png").arg(folder_, QLatin1String(name));
    if (!widget.grab().save(file)) std::exit(1);
    std::printf("%s\n", qPrintable(file));
  }

 private:
  MainWindow& window_;
  QString folder_;
};

class Tour {
 public:
  Tour(const QString& out, QString store, QString examples)
      : store_(std::move(store)), examples_(std::move(examples)), camera_(window_, out) {
    window_.show();
  }

  void firstRun() {
    after(&window_.bench().session(), &StoreSession::failed, "no store",
          [&] { window_.openStore(QDir::tempPath() + QStringLiteral("/strata-no-such-store")); });
    camera_.take("error-no-store");
    window_.openStore({});
    (void)QTest::qWaitFor(
        [&] { return window_.pages().welcome().folder().endsWith(QStringLiteral("default")); });
    QTest::qWait(200);
    camera_.take("first-run");
  }

  void library() {
    after(&window_.bench().session(), &StoreSession::listed, "the list",
          [&] { window_.openStore(store_); });
    window_.pages().library().select(QStringLiteral("shifted:v3"));
    camera_.take("library");
    auto* filter = window_.pages().library().findChild<FilterEdit*>();
    filter->setText(QStringLiteral("bf16"));
    camera_.take("library-filtered");
    filter->setText(QStringLiteral("nothing like this"));
    camera_.take("library-no-match");
    filter->clear();
    window_.dropOverlay().showPlan(planFile(QStringLiteral("/m/sst2.onnx")));
    camera_.take("drop-accepted");
    window_.dropOverlay().showPlan(planFile(QStringLiteral("/m/notes.txt")));
    camera_.take("drop-refused");
    window_.dropOverlay().showPlan(planText(QStringLiteral("hf://acme/models")));
    camera_.take("drop-remote");
    window_.dropOverlay().hide();
  }

  void version(const QString& label, const QString& tensor) {
    VersionPage& page = window_.pages().version();
    after(&page, &VersionPage::shown, "a version",
          [&] { emit window_.bench().showVersion(label); });
    camera_.take("version-overview");
    page.showTab(VersionPage::Tensors);
    camera_.take("version-tensors");
    after(&page, &VersionPage::distributionShown, "a distribution",
          [&] { page.openTensor(tensor); });
    page.showTab(VersionPage::Distribution);
    camera_.take("version-distribution");
    page.showTab(VersionPage::Bits);
    camera_.take("version-bits");
    page.showTab(VersionPage::History);
    camera_.take("version-history");
    page.showTab(VersionPage::Metadata);
    camera_.take("version-metadata");
    page.showTab(VersionPage::Overview);
  }

  void lossyQuality(const QString& label) {
    after(&window_.pages().version(), &VersionPage::shown, "a version",
          [&] { emit window_.bench().showVersion(label); });
    window_.pages().version().showTab(VersionPage::Quality);
    camera_.take("version-quality");
    window_.pages().version().showTab(VersionPage::Overview);
  }

  void compare(const QString& a, const QString& b) {
    ComparePage& page = window_.pages().compare();
    after(&page, &ComparePage::compared, "a comparison",
          [&] { emit window_.bench().compare(a, b); });
    camera_.take("compare");
    page.findChild<QSlider*>()->setValue(98);
    camera_.take("compare-threshold");
    page.findChild<QSlider*>()->setValue(0);
    auto* bases = page.findChild<QCheckBox*>();
    after(&page, &ComparePage::basesCompared, "the bases", [&] { bases->setChecked(true); });
    camera_.take("compare-bases");
    bases->setChecked(false);
  }

  void add() {
    AddPage& page = window_.pages().add();
    window_.showPage(Page::Add);
    after(&page, &AddPage::inspected, "a model",
          [&] { page.begin({examples_ + QStringLiteral("/rotated.safetensors")}); });
    camera_.take("add");
    after(&page, &AddPage::added, "an added version", [&] {
      for (auto* button : page.findChildren<QPushButton*>()) {
        if (button->text() == AddPage::tr("Add version")) button->click();
      }
    });
    camera_.take("add-result");
    after(&page, &AddPage::inspected, "a refusal",
          [&] { page.begin({examples_ + QStringLiteral("/train.py")}); });
    camera_.take("error-no-model");
  }

  void restore(const QString& label) {
    RestorePage& page = window_.pages().restore();
    after(&page, &RestorePage::planned, "a plan", [&] { emit window_.bench().restore(label); });
    after(&page, &RestorePage::planned, "a plan",
          [&] { page.setTarget(QDir::tempPath() + QStringLiteral("/restored.safetensors")); });
    camera_.take("restore");
    after(&page, &RestorePage::planned, "a refusal",
          [&] { page.setTarget(examples_ + QStringLiteral("/rotated.safetensors")); });
    camera_.take("error-target-exists");
  }

  void tune() {
    TunePage& page = window_.pages().tune();
    window_.showPage(Page::Tune);
    camera_.take("tune-empty");
    after(&page, &TunePage::previewed, "a preview",
          [&] { emit window_.bench().tune(examples_ + QStringLiteral("/rotated.safetensors")); });
    camera_.take("tune-preview");
    page.setTarget(QStringLiteral("size"), QStringLiteral("12kB"));
    after(&page, &TunePage::ended, "a search", [&] { page.findBest(); });
    camera_.take("tune");
    page.findChild<ChartFrame*>()->showAsTable(true);
    camera_.take("tune-as-table");
    page.findChild<ChartFrame*>()->showAsTable(false);
  }

  void storage() {
    StoragePage& page = window_.pages().storage();
    after(&page, &StoragePage::objectsListed, "objects", [&] { window_.showPage(Page::Storage); });
    after(&page, &StoragePage::verified, "a check",
          [&] { page.verify(VerifyOptions::Level::Full); });
    camera_.take("storage");
    (void)QTest::qWaitFor([&] { return !window_.bench().session().queue().isBusy(); });
  }

  void remotes() {
    RemotesPage& page = window_.pages().remotes();
    window_.showPage(Page::Remotes);
    camera_.take("remotes-none");
    const QString share = store_ + QStringLiteral("-share");
    QDir().mkpath(share);
    after(&page, &RemotesPage::listed, "a listing",
          [&] { page.addRemote(QStringLiteral("share"), QStringLiteral("file://") + share); });
    QTest::qWait(500);
    after(&page, &RemotesPage::planned, "a plan", [&] {
      page.push({QStringLiteral("shifted:v3"), QStringLiteral("extra-class:v1")});
    });
    camera_.take("push-plan");
    after(&window_.transfers(), &TransferList::ended, "a push", [&] {
      for (auto* button : page.findChild<PushPane*>()->findChildren<QPushButton*>()) {
        if (button->text() == PushPane::tr("Push")) button->click();
      }
    });
    window_.transfers().add(Transfer::Direction::Pull, QStringLiteral("nowhere"),
                            {QStringLiteral("sst2:v9")});
    (void)QTest::qWaitFor([&] { return window_.transfers().openCount() == 0; }, 60'000);
    camera_.take("transfers");
    QTest::qWait(500);
    window_.showPage(Page::Remotes);
    camera_.take("remotes");
  }

  void hub() {
    HubPage& page = window_.pages().hub();
    window_.showPage(Page::Hub);
    camera_.take("hub-empty");
    (void)QTest::qWaitFor(
        [&] { return page.findChild<QComboBox*>()->findText(QStringLiteral("share")) >= 0; });
    page.findChild<QComboBox*>()->setCurrentText(QStringLiteral("share"));
    after(&page, &HubPage::searched, "a search", [&] { page.search(); });
    auto* content = page.findChild<RepositoryPane*>();
    content->findChild<QTabWidget*>()->setCurrentIndex(2);
    after(content, &RepositoryPane::loaded, "the versions of a repository",
          [&] { page.findChild<TableView*>()->selectRow(0); });
    camera_.take("hub");
  }

  void settings() {
    after(&window_.pages().settings(), &SettingsPage::shown, "settings",
          [&] { window_.showPage(Page::Settings); });
    QTest::qWait(300);
    camera_.take("settings");
    auto* area = window_.pages().settings().findChild<QScrollArea*>();
    area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum());
    camera_.take("settings-credentials");
  }

  void dialogs() {
    window_.showPage(Page::Library);
    TagDialog tags(window_.bench(), QStringLiteral("shifted:v3"),
                   {QStringLiteral("best"), QStringLiteral("prod")}, {QStringLiteral("lab")});
    tags.setAttribute(Qt::WA_DeleteOnClose, false);
    tags.show();
    camera_.save(tags, "tag-dialog");
    RenameDialog rename(window_.bench(), QStringLiteral("shifted"), 3, {});
    rename.setAttribute(Qt::WA_DeleteOnClose, false);
    rename.show();
    camera_.save(rename, "rename-dialog");
  }

  void changes() {
    window_.showPage(Page::Library);
    PruneDialog prune(window_.bench(), QStringLiteral("shifted"));
    prune.setAttribute(Qt::WA_DeleteOnClose, false);
    after(&prune, &PruneDialog::planned, "the first plan", [&] { prune.show(); });
    after(&prune, &PruneDialog::planned, "a plan",
          [&] { prune.findChild<QSpinBox*>()->setValue(1); });
    camera_.save(prune, "prune-dialog");
    ListRow version;
    for (const ListRow& row : window_.bench().session().snapshot()->rows) {
      if (row.version.label() == "shifted:v2") version = row;
    }
    RecodeDialog recode(window_.bench(), version);
    recode.setAttribute(Qt::WA_DeleteOnClose, false);
    recode.show();
    recode.findChild<QComboBox*>()->setCurrentIndex(2);
    after(&recode, &RecodeDialog::tried, "a try", [&] {
      for (auto* button : recode.findChildren<QPushButton*>()) {
        if (button->text() == RecodeDialog::tr("Try")) button->click();
      }
    });
    camera_.save(recode, "recode-dialog");
    NoteDialog note(window_.bench(), QStringLiteral("shifted:v2"), QStringLiteral("epoch 2"));
    note.setAttribute(Qt::WA_DeleteOnClose, false);
    note.show();
    camera_.save(note, "note-dialog");
  }

  void history() {
    HistoryPage& page = window_.pages().history();
    after(&page, &HistoryPage::listed, "the history", [&] { window_.showPage(Page::History); });
    after(&page, &HistoryPage::tried, "whether it can be taken back",
          [&] { page.findChild<TableView*>()->selectRow(2); });
    camera_.take("history");
  }

  MainWindow& window() { return window_; }

 private:
  QString store_;
  QString examples_;
  MainWindow window_{Preferences{}};
  Camera camera_;
};

}  // namespace
}  // namespace strata::gui

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc < 4) {
    std::fprintf(
        stderr, "usage: strata_gui_screenshots OUT_DIR STORE EXAMPLES_DIR [light|dark|contrast]\n");
    return 2;
  }
  using namespace strata::gui;
  QApplication::setApplicationName(QStringLiteral("strata-gui"));
  applyLanguage(qEnvironmentVariable("STRATA_LANGUAGE", "en"));
  applyTheme(themeFromName(QString::fromLocal8Bit(argc > 4 ? argv[4] : "light")));
  Tour tour(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]),
            QString::fromLocal8Bit(argv[3]));
  // Whatever the size of the platform's screen.
  const QString size = qEnvironmentVariable("STRATA_WINDOW", QStringLiteral("1280x800"));
  tour.window().resize(size.section(u'x', 0, 0).toInt(), size.section(u'x', 1, 1).toInt());
  tour.firstRun();
  tour.library();
  tour.version(QStringLiteral("shifted:v3"), QStringLiteral("fc1.weight"));
  tour.compare(QStringLiteral("shifted:v1"), QStringLiteral("shifted:v3"));
  tour.lossyQuality(QStringLiteral("small:v1"));
  tour.restore(QStringLiteral("shifted:v3"));
  tour.tune();
  tour.storage();
  tour.remotes();
  tour.hub();
  tour.settings();
  tour.dialogs();
  tour.changes();
  tour.history();
  tour.add();
  return 0;
}
