// What can go wrong, and how the window says it; two programs on one store; keys everywhere.
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QListView>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>

#include "core/ops/remove_versions.h"
#include "core/ops/rename_versions.h"
#include "core/ops/tags.h"
#include "core/store/store_writer.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/lineage_view.h"
#include "gui/widgets/place_list.h"
#include "gui/widgets/rename_dialog.h"
#include "gui/widgets/tag_dialog.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class StatesTest : public WindowTest {
 protected:
  QString libraryBanner() { return window_.libraryPage().banner().text(); }
  void inspect(const QString& path) {
    QSignalSpy inspected(&window_.addPage(), &gui::AddPage::inspected);
    window_.showPage(Page::Add);
    window_.addPage().begin({path});
    ASSERT_TRUE(inspected.wait(kPatienceMs));
  }
};

TEST_F(StatesTest, KeepsWorkingWhileAnotherProgramHoldsTheLock) {
  open();
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return libraryBanner().contains("STRATA-E1101"); }));
  EXPECT_EQ(rowCount(), 3U);
  // Reading goes on.
  QSignalSpy shown(&window_.versionPage(), &gui::VersionPage::shown);
  emit window_.bench().showVersion("tuned:v2");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  lock->reset();
  window_.showPage(Page::Library);
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
}

TEST_F(StatesTest, RefusesAStoreOfANewerFormatAndOpensItOnceItIsReadable) {
  const auto file = sample_.path() / "store.toml";
  const std::string toml = readWhole(file);
  std::string newer = toml;
  newer.replace(newer.find("format = 1"), 10, "format = 9");
  writeWhole(file, newer);
  window_.openStore(sample_.folder());
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  const QString told = window_.welcomePage().banner().text();
  EXPECT_TRUE(told.contains("STRATA-E12")) << told.toStdString();
  EXPECT_TRUE(told.contains("newer"));
  picture("state-newer-format");
  writeWhole(file, toml);
  click(window_.welcomePage().banner(), "Try again");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Library; }));
}

TEST_F(StatesTest, LeadsFromDamageToTheCheck) {
  open();
  sample_.damage("tuned:v2");
  QSignalSpy planned(&window_.restorePage(), &gui::RestorePage::planned);
  press(Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(planned.wait(kPatienceMs));
  window_.restorePage().setTarget(inFolder("out.safetensors"));
  ASSERT_TRUE(planned.wait(kPatienceMs));
  click(window_.restorePage(), "Restore");
  gui::Banner& banner = window_.restorePage().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E601"); }));
  EXPECT_FALSE(std::filesystem::exists(sample_.files() / "out.safetensors"));
  picture("state-damaged-pack");
  QSignalSpy verified(&window_.storagePage(), &gui::StoragePage::verified);
  window_.showPage(Page::Storage);
  click(window_.storagePage(), "Verify all");
  ASSERT_TRUE(verified.wait(kPatienceMs));
  EXPECT_TRUE(window_.storagePage().banner().text().contains("tuned:v2"));
  picture("state-damaged-store");
}

TEST_F(StatesTest, SaysThatABaseIsMissing) {
  open();
  // The objects of the base go; its versions are still listed.
  auto shown = gui::showJob(window_.bench().store(), "base:v1");
  std::vector<Digest> packs;
  ASSERT_EQ(run(session().queue(), shown, [&] { packs = shown->report().packs; }),
            gui::Job::State::Finished);
  for (const Digest& pack : packs) {
    const std::string hex = toHex(pack);
    std::filesystem::remove(sample_.path() / "objects" / hex.substr(0, 2) / hex.substr(2));
  }
  emit window_.bench().compare({}, "tuned:v2");
  gui::Banner& banner = window_.comparePage().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E"); }));
  EXPECT_TRUE(banner.text().contains("could not be compared")) << banner.text().toStdString();
  picture("state-missing-base");
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(StatesTest, SaysThatTheNetworkIsNotThere) {
  open();
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "true")),
            gui::Job::State::Finished);
  window_.showPage(Page::Remotes);
  window_.remotesPage().addRemote("hub", "hf://acme/models");
  gui::Banner& banner = window_.remotesPage().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E801"); }))
      << banner.text().toStdString();
  EXPECT_NE(button(banner, "Try again"), nullptr);
  picture("state-offline");
  ASSERT_EQ(run(session().queue(), gui::setSettingJob("offline", "false")),
            gui::Job::State::Finished);
}

TEST_F(StatesTest, SaysThatAModelVanishedBeforeItWasAdded) {
  open();
  const QString file = modelFile("enc.safetensors", 30);
  inspect(file);
  std::filesystem::remove(file.toStdString());
  click(window_.addPage(), "Add base");
  gui::Banner& banner = window_.addPage().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E"); }));
  EXPECT_TRUE(banner.text().contains("enc.safetensors"));
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(StatesTest, ShowsAFileThatIsCutAsDamaged) {
  open();
  const QString file = modelFile("cut.safetensors", 30);
  const std::string whole = readWhole(file.toStdString());
  writeWhole(file.toStdString(), whole.substr(0, whole.size() / 2));
  inspect(file);
  EXPECT_TRUE(window_.addPage().banner().text().contains("STRATA-E6"))
      << window_.addPage().banner().text().toStdString();
  EXPECT_TRUE(window_.addPage().banner().text().contains("get it again"));
  picture("state-cut-file");
}

TEST_F(StatesTest, FollowsWhatTheCommandLineDoes) {
  open();
  QTest::qWait(500);  // the follower has looked once
  sample_.add("other", 9);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));
  auto other = Store::open(sample_.path());
  ASSERT_TRUE(other);
  ASSERT_TRUE(addTag(**other, {.reference = "other:v1", .tag = "prod"}));
  ASSERT_TRUE(waitFor([&] {
    for (const ListRow& row : session().snapshot()->rows) {
      if (row.version.name == "other") return row.version.tags == std::vector<std::string>{"prod"};
    }
    return false;
  }));
  // What was selected stays so.
  EXPECT_EQ(window_.libraryPage().selection(), QStringList{"tuned:v2"});
}

TEST_F(StatesTest, TagsAndMovesATag) {
  open();
  press(Qt::Key_T, Qt::ControlModifier);
  auto* dialog = window_.findChild<gui::TagDialog*>();
  ASSERT_NE(dialog, nullptr);
  type(*dialog, "Tag", "prod");
  press(Qt::Key_Return);
  QTest::keyClick(edit(*dialog, "Tag"), Qt::Key_Return);
  const auto tagsOf = [&](std::uint32_t number) {
    for (const ListRow& row : session().snapshot()->rows) {
      if (row.version.name == "tuned" && row.version.number == number) return row.version.tags;
    }
    return std::vector<std::string>{};
  };
  ASSERT_TRUE(waitFor([&] { return tagsOf(2).size() == 1; }));
  EXPECT_EQ(tagsOf(2).front(), "prod");
}

TEST_F(StatesTest, RenamesWithF2AndTakesItBack) {
  open();
  press(Qt::Key_F2);
  auto* dialog = window_.findChild<gui::RenameDialog*>();
  ASSERT_NE(dialog, nullptr);
  edit(*dialog, "New name")->selectAll();
  type(*dialog, "New name", "tone");
  QTest::keyClick(edit(*dialog, "New name"), Qt::Key_Return);
  ASSERT_TRUE(waitFor(
      [&] { return window_.libraryPage().selection() == QStringList{QStringLiteral("tone:v2")}; }));
  EXPECT_TRUE(session().store()->resolve("tone:v1"));
  EXPECT_FALSE(session().store()->resolve("tuned"));
  button(window_.libraryPage(), "Undo")->click();
  ASSERT_TRUE(waitFor([&] {
    return window_.libraryPage().selection() == QStringList{QStringLiteral("tuned:v2")};
  }));
  EXPECT_FALSE(session().store()->resolve("tone"));
}

TEST_F(StatesTest, SaysWhyANameCannotBeGiven) {
  open();
  ASSERT_TRUE(removeVersions(*session().store(), {.references = {"tuned:v1"}}));
  ASSERT_TRUE(renameVersions(*session().store(), {.name = "tuned", .newName = "tone"}));
  ASSERT_TRUE(removeVersions(*session().store(), {.references = {"tone"}}));
  ASSERT_TRUE(waitFor([&] { return rowCount() == 1; }));
  window_.libraryPage().select("base:v1");
  press(Qt::Key_F2);
  auto* dialog = window_.findChild<gui::RenameDialog*>();
  edit(*dialog, "New name")->selectAll();
  type(*dialog, "New name", "tone");
  QTest::keyClick(edit(*dialog, "New name"), Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return window_.libraryPage().banner().isVisible(); }));
  EXPECT_TRUE(window_.libraryPage().banner().text().contains("versions in the trash: v1, v2"))
      << window_.libraryPage().banner().text().toStdString();
}

class KeysTest : public WindowTest {
 protected:
  /// What has the focus after Tab, until it comes round or no more of them are new.
  QList<QWidget*> walk() {
    QList<QWidget*> seen;
    for (int i = 0; i < 300; ++i) {
      press(Qt::Key_Tab);
      QWidget* const now = window_.focusWidget();
      if (now == nullptr || seen.contains(now)) break;
      seen << now;
    }
    return seen;
  }
};

TEST_F(KeysTest, ReachEveryControlOfEveryPage) {
  open();
  QSignalSpy settings(&window_.settingsPage(), &gui::SettingsPage::shown);
  window_.showPage(Page::Settings);
  ASSERT_TRUE(settings.wait(kPatienceMs));
  for (const Page page : {Page::Library, Page::Compare, Page::Tune, Page::Remotes, Page::Hub,
                          Page::Storage, Page::Settings, Page::Add}) {
    window_.showPage(page);
    QCoreApplication::processEvents();
    QSet<QWidget*> wanted;
    for (QPushButton* one : window_.centralWidget()->findChildren<QPushButton*>()) {
      if (one->isVisible() && one->isEnabled() && (one->focusPolicy() & Qt::TabFocus) != 0) {
        wanted << one;
      }
    }
    for (QWidget* one : walk()) wanted.remove(one);
    for (QWidget* one : wanted) {
      ADD_FAILURE() << "page " << static_cast<int>(page) << ": no Tab leads to "
                    << qobject_cast<QPushButton*>(one)->text().toStdString();
    }
  }
}

TEST_F(KeysTest, GoToThePlacesOfTheSidebar) {
  open();
  const auto* places = window_.findChild<gui::PlaceList*>();
  press(Qt::Key_3, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Compare);
  EXPECT_EQ(places->current(), gui::Place::Compare);
  press(Qt::Key_4, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Storage);
  press(Qt::Key_2, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_EQ(places->current(), gui::Place::Tagged);
  press(Qt::Key_1, Qt::AltModifier);
  EXPECT_EQ(places->current(), gui::Place::Library);
}

TEST_F(KeysTest, WalkTheSidebarWithoutWrappingRound) {
  open();
  auto* places = window_.findChild<gui::PlaceList*>();
  places->setFocus();
  for (int i = 0; i < 20; ++i) QTest::keyClick(places, Qt::Key_Down);
  EXPECT_EQ(places->current(), gui::Place::Settings);
  EXPECT_EQ(window_.page(), Page::Settings);
  places->setFocus();
  for (int i = 0; i < 20; ++i) {
    places->setFocus();
    QTest::keyClick(places, Qt::Key_Up);
  }
  EXPECT_EQ(places->current(), gui::Place::Library);
}

TEST_F(KeysTest, FilterTheLibraryAndComeBack) {
  open();
  press(Qt::Key_F, Qt::ControlModifier);
  auto* filter = window_.libraryPage().findChild<gui::FilterEdit*>();
  ASSERT_TRUE(filter->hasFocus());
  QTest::keyClicks(filter, "tuned:v1");
  EXPECT_EQ(window_.libraryPage().model().shownVersions(), 1);
  QTest::keyClick(filter, Qt::Key_Escape);
  EXPECT_EQ(window_.libraryPage().model().shownVersions(), 3);
  QTest::keyClick(filter, Qt::Key_Escape);
  EXPECT_TRUE(window_.libraryPage().view().hasFocus());
}

TEST_F(KeysTest, FindTheFilterOfThePageOneIsOn) {
  open();
  const auto filterOf = [](QWidget& page) { return page.findChild<gui::FilterEdit*>(); };
  window_.showPage(Page::Storage);
  press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(window_.page(), Page::Storage);
  EXPECT_TRUE(filterOf(window_.storagePage())->hasFocus());
  window_.showPage(Page::Tune);  // has no filter
  press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_TRUE(filterOf(window_.libraryPage())->hasFocus());
  window_.libraryPage().view().setFocus();
  press(Qt::Key_Slash);
  EXPECT_TRUE(filterOf(window_.libraryPage())->hasFocus());
  QTest::keyClicks(filterOf(window_.libraryPage()), "a/b");
  EXPECT_EQ(filterOf(window_.libraryPage())->text(), "a/b");
}

TEST_F(KeysTest, EscapeInAListEmptiesTheFilterThenTheSelection) {
  open();
  auto& view = window_.libraryPage().view();
  auto* filter = window_.libraryPage().findChild<gui::FilterEdit*>();
  filter->setText("tuned");
  window_.libraryPage().select("tuned:v2");
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_EQ(filter->text(), "");
  EXPECT_EQ(window_.libraryPage().selection(), QStringList{"tuned:v2"});
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_TRUE(window_.libraryPage().selection().isEmpty());
}

TEST_F(KeysTest, AreListedOnF1) {
  open();
  press(Qt::Key_F1);
  auto* box = window_.findChild<QMessageBox*>();
  ASSERT_NE(box, nullptr);
  for (const char* keys : {"Ctrl+R", "Ctrl+D", "Ctrl+T", "F6", "Alt+4", "Ctrl+F; /"}) {
    EXPECT_TRUE(box->text().contains(keys)) << keys;
  }
  box->close();
}

TEST_F(KeysTest, StandForOneActionEach) {
  QHash<QString, QString> owners;
  for (const QAction* action : window_.actions()) {
    const QString keys = action->shortcut().toString();
    if (keys.isEmpty()) continue;
    EXPECT_FALSE(owners.contains(keys))
        << keys.toStdString() << " is " << owners.value(keys).toStdString() << " and "
        << action->text().toStdString();
    owners.insert(keys, action->text());
  }
  EXPECT_GT(owners.size(), 15);
}

TEST_F(KeysTest, WorkInEveryMenu) {
  open();
  int menus = 0;
  for (QAction* menu : window_.menuBar()->actions()) {
    ASSERT_NE(menu->menu(), nullptr);
    EXPECT_TRUE(menu->text().contains(u'&')) << menu->text().toStdString();
    ++menus;
    QSet<QChar> letters;
    for (QAction* action : menu->menu()->actions()) {
      if (action->isSeparator()) continue;
      const qsizetype place = action->text().indexOf(u'&');
      ASSERT_GE(place, 0) << action->text().toStdString();
      const QChar letter = action->text()[place + 1].toLower();
      EXPECT_FALSE(letters.contains(letter)) << action->text().toStdString();
      letters << letter;
    }
  }
  EXPECT_EQ(menus, 7);
}

TEST_F(KeysTest, DoNothingWithoutAStore) {
  window_.openStore({});
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  for (const int key : {Qt::Key_R, Qt::Key_D, Qt::Key_T, Qt::Key_F, Qt::Key_L, Qt::Key_N}) {
    press(key, Qt::ControlModifier);
    EXPECT_EQ(window_.page(), Page::Welcome) << key;
  }
}

}  // namespace
}  // namespace strata::test
