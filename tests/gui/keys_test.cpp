// Keys everywhere: to every control, page, menu and filter.
#include <gtest/gtest.h>

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>
#include <QTabWidget>

#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

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
  QSignalSpy settings(&window_.pages().settings(), &gui::SettingsPage::shown);
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
  auto* filter = window_.pages().library().findChild<gui::FilterEdit*>();
  ASSERT_TRUE(filter->hasFocus());
  QTest::keyClicks(filter, "tuned:v1");
  EXPECT_EQ(window_.pages().library().model().shownVersions(), 1);
  QTest::keyClick(filter, Qt::Key_Escape);
  EXPECT_EQ(window_.pages().library().model().shownVersions(), 3);
  QTest::keyClick(filter, Qt::Key_Escape);
  EXPECT_TRUE(window_.pages().library().view().hasFocus());
}

TEST_F(KeysTest, FindTheFilterOfThePageOneIsOn) {
  open();
  const auto filterOf = [](QWidget& page) { return page.findChild<gui::FilterEdit*>(); };
  window_.showPage(Page::Storage);
  press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(window_.page(), Page::Storage);
  EXPECT_TRUE(filterOf(window_.pages().storage())->hasFocus());
  window_.showPage(Page::Tune);  // has no filter
  press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_TRUE(filterOf(window_.pages().library())->hasFocus());
  window_.pages().library().view().setFocus();
  press(Qt::Key_Slash);
  EXPECT_TRUE(filterOf(window_.pages().library())->hasFocus());
  QTest::keyClicks(filterOf(window_.pages().library()), "a/b");
  EXPECT_EQ(filterOf(window_.pages().library())->text(), "a/b");
}

TEST_F(KeysTest, EscapeInAListEmptiesTheFilterThenTheSelection) {
  open();
  auto& view = window_.pages().library().view();
  auto* filter = window_.pages().library().findChild<gui::FilterEdit*>();
  filter->setText("tuned");
  window_.pages().library().select("tuned:v2");
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_EQ(filter->text(), "");
  EXPECT_EQ(window_.pages().library().selection(), QStringList{"tuned:v2"});
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_TRUE(window_.pages().library().selection().isEmpty());
}

TEST_F(KeysTest, WalkTheTabsOfAVersionAndLeaveIt) {
  open();
  const auto show = [&] {
    QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
    press(Qt::Key_Return);
    ASSERT_TRUE(shown.wait(kPatienceMs));
    ASSERT_EQ(window_.page(), Page::Version);
  };
  show();
  const auto* tabs = window_.pages().version().findChild<QTabWidget*>();
  EXPECT_EQ(tabs->currentIndex(), 0);
  press(Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(tabs->currentIndex(), 1);
  press(Qt::Key_Escape);
  EXPECT_EQ(window_.page(), Page::Library);
  show();
  press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Library);
}

TEST_F(KeysTest, GoBackToThePagesBefore) {
  open();
  window_.showPage(Page::Storage);
  window_.showPage(Page::Compare);
  press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Storage);
  press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Library);
  for (int i = 0; i < 3; ++i) press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window_.page(), Page::Library) << "there is nothing before";
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
