// The settings page, without a network.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>

#include "gui/jobs/remote_ops.h"
#include "gui/jobs/settings_ops.h"
#include "gui/pages/settings_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/login_dialog.h"
#include "gui/widgets/panes/credentials_pane.h"
#include "gui/widgets/panes/trust_pane.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/table_view.h"
#include "tests/gui/care_fixture.h"

namespace strata::test {
namespace {

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
  gui::SettingsPage& page() { return window_.pages().settings(); }
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

TEST_F(SettingsTest, ConfirmsWhatTheStoreSays) {
  gui::TrustPane& trust = page().trust();
  const auto said = [&] { return trust.findChild<QLabel*>()->text(); };
  const auto reload = [&] {
    QSignalSpy shown(&trust, &gui::TrustPane::shown);
    trust.load(sample_.folder());
    ASSERT_TRUE(shown.wait(kPatienceMs));
  };
  writeWhole(sample_.path() / "config.toml", "proxy = \"http://127.0.0.1:3128\"\n");
  reload();
  EXPECT_TRUE(said().contains("proxy = http://127.0.0.1:3128  (does not count)"))
      << said().toStdString();
  EXPECT_EQ(commands(trust), QStringList("strata -C " + sample_.folder() + " config trust --yes"));
  click(trust, "Confirm what it says");
  ASSERT_TRUE(
      waitFor([&] { return said().contains("proxy = http://127.0.0.1:3128  (confirmed)"); }));
  EXPECT_FALSE(button(trust, "Confirm what it says")->isEnabled());
  EXPECT_TRUE(reviewTrust(sample_.path())->isComplete());
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
