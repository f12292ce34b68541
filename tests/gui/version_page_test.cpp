// Looking at one version, by clicks and keys.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QTabWidget>

#include "gui/charts/layer_chart.h"
#include "gui/pages/version_page.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class VersionTest : public WindowTest {
 protected:
  gui::VersionPage& page() { return window_.pages().version(); }

  void show(const QString& label) {
    open();
    QSignalSpy shown(&page(), &gui::VersionPage::shown);
    emit window_.bench().showVersion(label);
    ASSERT_TRUE(shown.wait(kPatienceMs));
  }
};

TEST_F(VersionTest, FiltersTensorsByNameAndChange) {
  show("tuned:v2");
  page().showTab(gui::VersionPage::Tensors);
  auto* view = table(page(), "Tensors");
  const int all = view->model()->rowCount();
  ASSERT_GT(all, 1);
  for (auto* one : page().findChildren<QCheckBox*>()) {
    if (one->text() == "Only changed") one->click();
  }
  EXPECT_LT(view->model()->rowCount(), all);
  for (int row = 0; row < view->model()->rowCount(); ++row) {
    EXPECT_NE(view->model()->index(row, 4).data().toString(), "same");
  }
}

TEST_F(VersionTest, OpensAnotherVersionFromItsHistory) {
  show("tuned:v2");
  page().showTab(gui::VersionPage::History);
  auto* view = table(page(), "History");
  ASSERT_EQ(view->model()->rowCount(), 2);
  QSignalSpy shown(&page(), &gui::VersionPage::shown);
  for (int row = 0; row < 2; ++row) {
    if (view->model()->index(row, 0).data().toString().contains("v1")) {
      view->setCurrentIndex(view->model()->index(row, 0));
    }
  }
  QTest::keyClick(view, Qt::Key_Return);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(page().label(), "tuned:v1");
}

TEST_F(VersionTest, DrawsBitsOfEachLayer) {
  show("tuned:v2");
  page().showTab(gui::VersionPage::Bits);
  auto* chart = page().findChild<gui::LayerChart*>();
  ASSERT_GT(chart->pointCount(), 0);
  EXPECT_EQ(static_cast<int>(chart->table().rows.size()), chart->pointCount());
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Home);
  EXPECT_FALSE(chart->accessibleDescription().isEmpty());
}

TEST_F(VersionTest, WalksThroughItsTabsByKeys) {
  show("tuned:v2");
  auto* tabs = page().findChild<QTabWidget*>();
  tabs->setFocus();
  QSet<int> seen{tabs->currentIndex()};
  for (int i = 0; i < tabs->count(); ++i) {
    QTest::keyClick(tabs, Qt::Key_Tab, Qt::ControlModifier);
    seen << tabs->currentIndex();
  }
  EXPECT_EQ(seen.size(), tabs->count());
}

}  // namespace
}  // namespace strata::test
