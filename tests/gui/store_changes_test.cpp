// What becomes of a store behind the window's back, and what the window says of it.
#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QScrollBar>
#include <filesystem>

#include "core/ops/care/verify_store.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/summary_pane.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/views/place_list.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

class StoreChangesTest : public WindowTest {
 protected:
  static bool says(QWidget& page, const QString& words) {
    QCoreApplication::processEvents();  // what was just put into a layout is shown
    for (const auto* label : page.findChildren<QLabel*>()) {
      if (label->text().contains(words) && label->isVisible()) return true;
    }
    return false;
  }
};

TEST_F(StoreChangesTest, NoticesThatItWasMovedAwayAndOpensItWhenItIsBack) {
  open();
  const fs::path elsewhere = sample_.files() / "elsewhere";
  fs::rename(sample_.path(), elsewhere);
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  const QString told = window_.pages().welcome().banner().text();
  EXPECT_TRUE(told.contains("gone from its place")) << told.toStdString();
  EXPECT_TRUE(told.contains("Bring it back"));
  EXPECT_EQ(session().store(), nullptr);
  const auto* places = window_.findChild<gui::PlaceList*>();
  EXPECT_EQ(places->model()->index(0, 0).data().toString(), "Library")
      << "no count of what is gone";
  EXPECT_EQ(window_.pages().welcome().folder(), sample_.folder());
  picture("state-store-gone");
  fs::rename(elsewhere, sample_.path());
  click(window_.pages().welcome().banner(), "Try again");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Library; }));
  EXPECT_EQ(rowCount(), 3U);
}

TEST_F(StoreChangesTest, NoticesThatAnotherOneIsInItsPlace) {
  open();
  const StoreSample other;
  fs::rename(sample_.path(), sample_.files() / "elsewhere");
  fs::rename(other.path(), sample_.path());
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
}

TEST_F(StoreChangesTest, ShowsInTheLibraryWhatACheckFoundDamaged) {
  open();
  sample_.damage("tuned:v2");
  // Another program checks.
  auto store = Store::open(sample_.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(verifyStore(**store, {}, {}, {}));
  gui::LineageModel& model = window_.pages().library().model();
  const auto fidelity = [&] {
    return model.find("tuned:v2").siblingAtColumn(gui::LineageModel::FidelityColumn).data();
  };
  ASSERT_TRUE(waitFor([&] { return fidelity().toString() == "DAMAGED"; }));
  EXPECT_TRUE(says(*window_.pages().library().findChild<gui::SummaryPane*>(), "DAMAGED"));
  picture("state-damaged-version");
  QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
  emit window_.bench().showVersion("tuned:v2");
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_TRUE(says(window_.pages().version(), "DAMAGED"));
  // What the hint says to do helps: the same model again.
  sample_.add("tuned", 2);
  ASSERT_TRUE(waitFor([&] { return fidelity().toString() == "exact"; }));
}

TEST_F(StoreChangesTest, KeepsSeveralSelectedRowsWhenAnotherProgramAdds) {
  open();
  auto& view = window_.pages().library().view();
  view.selectionModel()->select(window_.pages().library().model().find("tuned:v1"),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  ASSERT_EQ(window_.pages().library().selection().size(), 2);
  sample_.add("other", 9);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));
  EXPECT_EQ(window_.pages().library().selection().size(), 2);
}

TEST_F(StoreChangesTest, HoldsTheFirstVisibleRowWhenAnotherProgramAddsAboveIt) {
  for (int i = 0; i < 14; ++i) sample_.add("n-" + std::to_string(10 + i), 20U + i);
  window_.resize(1280, 560);
  open();
  auto& view = window_.pages().library().view();
  auto& model = window_.pages().library().model();
  const auto top = [&] { return model.key(view.indexAt({0, 0}).siblingAtColumn(0)); };
  ASSERT_GT(view.verticalScrollBar()->maximum(), 3);
  view.verticalScrollBar()->setValue(3);
  const QString first = top();
  view.selectionModel()->select(model.find("n-20:v1"),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  ASSERT_EQ(window_.pages().library().selection().size(), 2);
  std::size_t rows = rowCount();
  for (const char* name : {"a", "a", "c", "n-10", "n-15"}) {
    sample_.add(name, static_cast<unsigned>(40 + rows));
    ++rows;
    ASSERT_TRUE(waitFor([&] { return rowCount() == rows; }));
    EXPECT_EQ(top(), first) << name;
    EXPECT_EQ(window_.pages().library().selection().size(), 2) << name;
  }
}

TEST_F(StoreChangesTest, TrashesAllVersionsOfANameByItsRow) {
  open();
  auto& view = window_.pages().library().view();
  const QModelIndex name = window_.pages().library().model().find("tuned:v2").parent();
  view.setCurrentIndex(name);
  EXPECT_TRUE(says(*window_.pages().library().findChild<gui::SummaryPane*>(), "2 versions"));
  view.setFocus();
  press(Qt::Key_Delete);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 1; }));
  const QString told = window_.pages().library().banner().text();
  EXPECT_TRUE(told.contains("tuned:v1") && told.contains("tuned:v2")) << told.toStdString();
  click(window_.pages().library().banner(), "Undo");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
}

TEST_F(StoreChangesTest, MovesNoRowWhenItSaysWhatItDid) {
  open();
  auto& view = window_.pages().library().view();
  const QPoint before = view.mapTo(&window_, QPoint());
  window_.pages().library().banner().showNotice(gui::Banner::Kind::Good, "Done");
  QCoreApplication::processEvents();
  EXPECT_EQ(view.mapTo(&window_, QPoint()), before);
}

TEST_F(StoreChangesTest, RestoresToAFolderThatIsThere) {
  const QByteArray home = qgetenv("HOME");
  const fs::path empty = sample_.files() / "home";
  fs::create_directories(empty);
  qputenv("HOME", QByteArray::fromStdString(empty.string()));
  open();
  QSignalSpy planned(&window_.pages().restore(), &gui::RestorePage::planned);
  emit window_.bench().restore("tuned:v2");
  ASSERT_TRUE(planned.wait(kPatienceMs));
  EXPECT_EQ(window_.pages().restore().banner().text(), "");
  EXPECT_EQ(edit(window_.pages().restore(), "Target")->text(),
            QString::fromStdString((empty / "tuned-v2.safetensors").string()));
  qputenv("HOME", home);
}

TEST_F(StoreChangesTest, HasSettingsWithoutAStore) {
  window_.openStore(inFolder("nothing"));
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  auto* places = window_.findChild<gui::PlaceList*>();
  QSignalSpy shown(&window_.pages().settings(), &gui::SettingsPage::shown);
  places->choose(gui::Place::Settings);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Settings);
  EXPECT_EQ(window_.pages().settings().banner().text(), "");
  EXPECT_TRUE(says(window_.pages().settings(), "none is open"));
  places->choose(gui::Place::Library);
  EXPECT_EQ(window_.page(), Page::Welcome);
}

}  // namespace
}  // namespace strata::test
