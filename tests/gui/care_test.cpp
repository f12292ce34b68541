// The storage, remotes, transfers and settings pages, by clicks.
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>

#include "gui/jobs/remote_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/pages/hub_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/bundle_import.h"
#include "gui/widgets/chart_frame.h"
#include "gui/widgets/credentials_pane.h"
#include "gui/widgets/login_dialog.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class CareTest : public WindowTest {
 protected:
  gui::StoragePage& storage() { return window_.storagePage(); }
  gui::RemotesPage& remotes() { return window_.remotesPage(); }

  void openStorage() {
    open();
    QSignalSpy objects(&storage(), &gui::StoragePage::objectsListed);
    press(Qt::Key_4, Qt::AltModifier);
    ASSERT_EQ(window_.page(), Page::Storage);
    ASSERT_TRUE(objects.wait(kPatienceMs));
  }
  void addShare() {
    QSignalSpy listed(&remotes(), &gui::RemotesPage::listed);
    window_.showPage(Page::Remotes);
    type(remotes(), "Name of a new remote", "share");
    type(remotes(), "URL of a new remote", QString::fromStdString(sample_.share()));
    click(remotes(), "Add remote");
    ASSERT_TRUE(waitFor([&] { return listed.count() >= 1; }));
    ASSERT_TRUE(waitFor([&] { return button(remotes(), "Push all...")->isEnabled(); }));
  }
  /// Waits for a question and presses one of its buttons.
  static void answer(const QString& text) {
    QMessageBox* box = nullptr;
    ASSERT_TRUE(waitFor([&] {
      box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      return box != nullptr;
    }));
    ASSERT_NE(box->defaultButton(), nullptr);
    EXPECT_EQ(box->buttonRole(box->defaultButton()), QMessageBox::RejectRole);
    for (QAbstractButton* one : box->buttons()) {
      if (one->text().remove(u'&') == text) return QTest::mouseClick(one, Qt::LeftButton);
    }
    FAIL() << "no button " << text.toStdString();
  }
};

TEST_F(CareTest, SaysWhereThereIsNothingToCleanUp) {
  openStorage();
  click(storage(), "Clean up...");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Nothing to free"); }));
}

TEST_F(CareTest, AsksBeforeItCleansUp) {
  openStorage();
  const auto left = sample_.path() / "objects" / "aa" / std::string(62, 'b');
  std::filesystem::create_directories(left.parent_path());
  writeWhole(left, "left");
  click(storage(), "Clean up...");
  answer("Cancel");
  EXPECT_TRUE(std::filesystem::exists(left));
  click(storage(), "Clean up...");
  answer("Delete");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Freed 4 B"); }));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(CareTest, FetchesAgainWhatACheckFindsDamaged) {
  open();
  EXPECT_FALSE(button(storage(), "Repair")->isEnabled());
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  sample_.damage("tuned:v2");
  window_.showPage(Page::Storage);
  ASSERT_TRUE(waitFor([&] { return button(storage(), "Repair")->isEnabled(); }));
  QSignalSpy checked(&storage(), &gui::StoragePage::verified);
  click(storage(), "Verify all");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("cannot be restored"));
  click(storage().banner(), "Copy report");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("tuned:v2"));
  click(storage().banner(), "Fetch again from share");
  ASSERT_TRUE(checked.wait(kPatienceMs));
  EXPECT_TRUE(storage().banner().text().contains("sound"))
      << storage().banner().text().toStdString();
  EXPECT_TRUE(storage().banner().text().contains("Fetched 1 object"));
}

TEST_F(CareTest, CopiesCareAsCommands) {
  openStorage();
  const QStringList texts = commands(storage());
  const QString store = "strata -C " + sample_.folder();
  EXPECT_TRUE(texts.contains(store + " verify"));
  EXPECT_TRUE(texts.contains(store + " gc --yes")) << texts.join('\n').toStdString();
  EXPECT_TRUE(texts.contains(store + " trash empty"));
  QTest::mouseClick(button(storage(), "Copy as command"), Qt::LeftButton);
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  ASSERT_NE(menu, nullptr);
  ASSERT_EQ(menu->actions().size(), texts.size());
  menu->actions().front()->trigger();
  menu->close();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), texts.front());
}

TEST_F(CareTest, BringsBackAndEmptiesTheTrash) {
  open();
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Storage);
  gui::TableView* trash = nullptr;
  for (auto* view : storage().findChildren<gui::TableView*>()) {
    if (view->accessibleName() == "Trash") trash = view;
  }
  ASSERT_NE(trash, nullptr);
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 1; }));
  trash->selectRow(0);
  click(storage(), "Bring back");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3 && trash->model()->rowCount() == 0; }));
  EXPECT_FALSE(button(storage(), "Empty the trash...")->isEnabled());
  window_.showPage(Page::Library);
  window_.libraryPage().select("tuned:v2");
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  window_.showPage(Page::Storage);
  click(storage(), "Empty the trash...");
  answer("Delete");
  ASSERT_TRUE(waitFor([&] { return storage().banner().text().contains("Freed"); }));
  ASSERT_TRUE(waitFor([&] { return trash->model()->rowCount() == 0; }));
  EXPECT_EQ(rowCount(), 2U);
}

TEST_F(CareTest, PlansAPushAndSendsItAsATransfer) {
  open();
  addShare();
  QSignalSpy planned(&remotes(), &gui::RemotesPage::planned);
  window_.showPage(Page::Library);
  window_.libraryPage().select("tuned:v2");
  press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_TRUE(remotes().banner().text().contains("Would send"));
  EXPECT_TRUE(remotes().banner().text().contains("tuned:v2"));
  EXPECT_FALSE(std::filesystem::exists(sample_.files() / "share" / "packs"));
  click(remotes().banner(), "Push");
  ASSERT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  EXPECT_EQ(window_.transfers().transfers()[0].state, gui::Transfer::State::Done);
  remotes().push({"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }));
}

TEST_F(CareTest, MovesATagThatPointsElsewhereOnTheRemoteOnlyWhenAsked) {
  open();
  addShare();
  const auto tag = [&](const char* reference, bool move) {
    ASSERT_EQ(
        run(session().queue(),
            gui::tagJob(session().store(), {.reference = reference, .tag = "prod", .move = move})),
        gui::Job::State::Finished);
  };
  tag("tuned:v1", false);
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  tag("tuned:v2", true);
  const std::string model = sample_.add("tuned", 9).version.label();
  ASSERT_EQ(model, "tuned:v3");
  window_.showPage(Page::Remotes);
  remotes().push({"tuned:v2", "tuned:v3"});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("point elsewhere"); }))
      << remotes().banner().text().toStdString();
  click(remotes().banner(), "Push and move the tags");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers().back().isOver(); }));
  EXPECT_TRUE(window_.transfers().transfers().back().request.forceTags);
  remotes().push({});
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }))
      << remotes().banner().text().toStdString();
}

TEST_F(CareTest, FetchesThePacksThatARestoreNeeds) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  // A second store has the manifests alone.
  QSignalSpy listed(&session(), &gui::StoreSession::listed);
  session().open(inFolder("second"), gui::StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  const RemoteConfig share{.name = "share", .url = sample_.share()};
  ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(session().store(), share)),
            gui::Job::State::Finished);
  ASSERT_EQ(run(session().queue(),
                gui::pullJob(session().store(), "share", {.lazy = true, .keptAs = "share"})),
            gui::Job::State::Finished);
  session().refresh();
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
  gui::RestorePage& page = window_.restorePage();
  QSignalSpy planned(&page, &gui::RestorePage::planned);
  emit window_.bench().restore("tuned:v2");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_TRUE(page.banner().text().contains("packs of it are not here"))
      << page.banner().text().toStdString();
  EXPECT_FALSE(button(page, "Restore")->isEnabled());
  click(page.banner(), "Fetch them from share");
  EXPECT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  ASSERT_TRUE(waitFor([&] { return session().snapshot()->totals.awaitedVersions == 1; }));
  emit window_.bench().restore("tuned:v2");
  page.setTarget(inFolder("out.safetensors"));
  ASSERT_TRUE(waitFor([&] { return button(page, "Restore")->isEnabled(); }));
  EXPECT_EQ(page.banner().text(), "");
  QSignalSpy restored(&page, &gui::RestorePage::restored);
  click(page, "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
}

TEST_F(CareTest, SaysThatThereIsNoRemoteToPushTo) {
  open();
  press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_TRUE(remotes().banner().text().contains("no remote"));
}

TEST_F(CareTest, RefusesARemoteOfAnUnknownKind) {
  open();
  window_.showPage(Page::Remotes);
  EXPECT_FALSE(button(remotes(), "Add remote")->isEnabled());
  type(remotes(), "Name of a new remote", "bad");
  type(remotes(), "URL of a new remote", "ftp://example.org");
  click(remotes(), "Add remote");
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("STRATA-E2"); }))
      << remotes().banner().text().toStdString();
}

TEST_F(CareTest, ForgetsARemote) {
  open();
  addShare();
  click(remotes(), "Forget");
  ASSERT_TRUE(waitFor([&] { return !button(remotes(), "Forget")->isEnabled(); }));
  EXPECT_TRUE(std::filesystem::exists(sample_.files() / "share"));
}

TEST_F(CareTest, RetriesAndClearsTransfers) {
  open();
  window_.transfers().setRetryDelay(1);
  window_.transfers().add(gui::Transfer::Direction::Pull, "nowhere", {"x:v1"});
  press(Qt::Key_L, Qt::ControlModifier);
  ASSERT_EQ(window_.page(), Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  QWidget& page = *window_.centralWidget();
  gui::TableView* view = nullptr;
  for (auto* one : page.findChildren<gui::TableView*>()) {
    if (one->accessibleName() == "Transfers") view = one;
  }
  ASSERT_NE(view, nullptr);
  view->selectRow(0);
  EXPECT_FALSE(button(page, "Resume all")->isEnabled());
  click(page, "Resume");
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  click(page, "Clear finished");
  EXPECT_TRUE(window_.transfers().transfers().empty());
}

void drop(gui::MainWindow& window, const QMimeData& data) {
  QDragEnterEvent enter(QPoint(600, 400), Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &enter);
  QDropEvent event(QPointF(600, 400), Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &event);
}

TEST_F(CareTest, FindsVersionsInAFolderAndGetsThem) {
  open();
  addShare();
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  press(Qt::Key_H, Qt::ControlModifier);
  ASSERT_EQ(window_.page(), Page::Hub);
  gui::HubPage& hub = window_.hubPage();
  auto* place = hub.findChild<QComboBox*>();
  ASSERT_TRUE(waitFor([&] { return place->findText("share") >= 0; }));
  place->setCurrentText("share");
  QSignalSpy searched(&hub, &gui::HubPage::searched);
  click(hub, "Search");
  ASSERT_TRUE(searched.wait(kPatienceMs));
  auto* found = hub.findChild<gui::TableView*>();
  ASSERT_EQ(found->model()->rowCount(), 1) << hub.banner().text().toStdString();
  EXPECT_EQ(found->model()->index(0, 1).data().toString(), "versions");
  EXPECT_EQ(found->model()->index(0, 2).data().toString(), "0 B");  // it is all here
  EXPECT_TRUE(found->model()->index(0, 6).data().toString().contains("tuned"));
  click(hub, "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            "strata -C " + sample_.folder() + " search --remote share");
  found->selectRow(0);
  EXPECT_FALSE(button(hub, "Open page")->isEnabled());
  click(hub, "Get...");
  EXPECT_EQ(window_.page(), Page::Remotes);
}

TEST_F(CareTest, KeepsWhatWasFoundWhenASearchFails) {
  open();
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "true")),
            gui::Job::State::Finished);
  window_.showPage(Page::Hub);
  gui::HubPage& hub = window_.hubPage();
  type(hub, "Words in the models' names", "distilbert");
  press(Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return hub.banner().text().contains("STRATA-E801"); }))
      << hub.banner().text().toStdString();
  EXPECT_NE(button(hub.banner(), "Try again"), nullptr);
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "false")),
            gui::Job::State::Finished);
}

TEST_F(CareTest, OffersARemoteForADroppedPageOfTheHub) {
  open();
  QMimeData link;
  link.setUrls({QUrl("https://huggingface.co/acme/models")});
  drop(window_, link);
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_EQ(edit(remotes(), "URL of a new remote")->text(), "hf://acme/models");
  EXPECT_EQ(edit(remotes(), "Name of a new remote")->text(), "acme");
  EXPECT_TRUE(button(remotes(), "Add remote")->isEnabled());
}

TEST_F(CareTest, TakesADroppedBundleIntoANewStore) {
  const QString bundle = sample_.bundle("all.tar");
  window_.openStore(sample_.folder() + "-missing");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  window_.welcomePage().setFolder(sample_.folder() + "-fresh");
  QSignalSpy offered(&window_.bundleImport(), &gui::BundleImport::offered);
  QMimeData file;
  file.setUrls({QUrl::fromLocalFile(bundle)});
  drop(window_, file);
  ASSERT_TRUE(offered.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_TRUE(remotes().banner().text().contains("3 versions"))
      << remotes().banner().text().toStdString();
  click(remotes().banner(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("bundle import "));
  click(remotes().banner(), "Take them");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
  window_.bundleImport().offer(bundle);
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }));
}

TEST_F(CareTest, RefusesADropThatIsNoModel) {
  open();
  QMimeData text;
  text.setText("just words");
  drop(window_, text);
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_TRUE(window_.dropOverlay().isHidden());
}

/// The settings page, without a network.
class SettingsTest : public CareTest {
 protected:
  void SetUp() override {
    open();
    ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "true")),
              gui::Job::State::Finished);
    const RemoteConfig lab{.name = "lab", .url = "oci://registry.example.org/models"};
    ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(window_.bench().store(), lab)),
              gui::Job::State::Finished);
    QSignalSpy credentials(&page().credentials(), &gui::CredentialsPane::shown);
    QSignalSpy settings(&page(), &gui::SettingsPage::shown);
    window_.showPage(Page::Settings);
    ASSERT_TRUE(waitFor([&] { return !credentials.isEmpty() && !settings.isEmpty(); }));
  }
  void TearDown() override { (void)run(session().queue(), gui::setSettingJob("offline", "false")); }
  gui::SettingsPage& page() { return window_.settingsPage(); }
  gui::TableView& table() { return *page().credentials().findChild<gui::TableView*>(); }
  QString cell(int row, int column) {
    return table().model()->index(row, column).data().toString();
  }
};

TEST_F(SettingsTest, LogsInAndOutOfARemote) {
  ASSERT_EQ(table().model()->rowCount(), 2);
  EXPECT_EQ(cell(1, 3), "not logged in");
  table().selectRow(1);
  EXPECT_FALSE(button(page(), "Log out")->isEnabled());
  click(page(), "Log in...");
  auto* dialog = page().findChild<gui::LoginDialog*>();
  ASSERT_NE(dialog, nullptr);
  QLineEdit* secret = edit(*dialog, "Password or token");
  EXPECT_EQ(secret->echoMode(), QLineEdit::Password);
  EXPECT_FALSE(button(*dialog, "Log in")->isEnabled());
  type(*dialog, "User name", "ann");
  type(*dialog, "Password or token", "s3cret-word");
  click(*dialog, "Log in");
  ASSERT_TRUE(waitFor([&] { return cell(1, 2) == "ann"; }));
  EXPECT_TRUE(page().banner().text().contains("Logged in to registry.example.org as ann"));
  for (QLabel* label : window_.findChildren<QLabel*>()) {
    EXPECT_FALSE(label->text().contains("s3cret-word"));
  }
  table().selectRow(1);
  click(page(), "Log out");
  ASSERT_TRUE(waitFor([&] { return cell(1, 3) == "not logged in"; }));
}

TEST_F(SettingsTest, SaysInTheDialogWhyALoginIsNotKept) {
  table().selectRow(1);
  click(page(), "Log in...");
  auto* dialog = page().findChild<gui::LoginDialog*>();
  ASSERT_NE(dialog, nullptr);
  type(*dialog, "User name", "ann");
  type(*dialog, "Password or token", "two words");
  click(*dialog, "Log in");
  auto* banner = dialog->findChild<gui::Banner*>();
  ASSERT_TRUE(waitFor([&] { return banner->text().contains("STRATA-E2"); }));
  EXPECT_FALSE(banner->text().contains("two words"));
  EXPECT_TRUE(button(*dialog, "Log in")->isEnabled());
  EXPECT_EQ(cell(1, 3), "not logged in");
}

TEST_F(SettingsTest, CopiesTheLoginAsACommandWithoutASecret) {
  table().selectRow(1);
  const QString auth = "strata -C " + sample_.folder() + " auth ";
  EXPECT_EQ(commands(page().credentials()),
            QStringList({auth + "login lab", auth + "logout lab", auth + "status lab"}));
}

TEST_F(SettingsTest, ChangesTheLanguageWhenTheWindowIsOpenedAnew) {
  QComboBox* language = nullptr;
  for (auto* box : page().findChildren<QComboBox*>()) {
    if (box->accessibleName() == "Language") language = box;
  }
  ASSERT_NE(language, nullptr);
  const int english = language->findData("en");
  ASSERT_GE(english, 1);
  QSignalSpy reopen(&window_, &gui::MainWindow::reopenRequested);
  language->setCurrentIndex(english);
  emit language->activated(english);
  EXPECT_EQ(reopen.count(), 0);
  click(page().banner(), "Open it anew");
  EXPECT_EQ(reopen.count(), 1);
  ASSERT_TRUE(waitFor([] { return gui::Preferences::load().language == "en"; }));
}

TEST_F(SettingsTest, ShowsAllChartsAsTables) {
  auto* box = page().findChild<QCheckBox*>();
  ASSERT_EQ(box->accessibleName(), "Charts as tables");
  const auto frames = window_.findChildren<gui::ChartFrame*>();
  ASSERT_GE(frames.size(), 5);
  for (const bool asTables : {true, false}) {
    box->setChecked(asTables);
    for (const auto* frame : frames) EXPECT_EQ(frame->isTable(), asTables);
  }
  ASSERT_TRUE(waitFor([&] { return !session().queue().isBusy(); }));
}

TEST_F(SettingsTest, WritesASettingThatTheCommandLineReads) {
  QComboBox* profile = nullptr;
  for (auto* box : page().findChildren<QComboBox*>()) {
    if (box->accessibleName() == "effort") profile = box;
  }
  ASSERT_NE(profile, nullptr);
  emit profile->textActivated("best");
  auto value = [&] {
    auto* job = gui::settingsJob(sample_.folder());
    QString found;
    EXPECT_EQ(run(session().queue(), job,
                  [&] {
                    for (const auto& one : job->report()) {
                      if (one.key == "effort") found = one.value;
                    }
                  }),
              gui::Job::State::Finished);
    return found;
  };
  EXPECT_TRUE(waitFor([&] { return value() == "best"; }));
  (void)run(session().queue(), gui::setSettingJob("effort", "default"));
}

TEST_F(SettingsTest, RefusesAValueThatMakesNoSense) {
  type(page(), "memory", "much");
  press(Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("STRATA-E2"); }));
}

}  // namespace
}  // namespace strata::test
