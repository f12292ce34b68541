// Looking at one version, by clicks and keys.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLabel>
#include <QTabWidget>

#include "core/ops/versions/import_base.h"
#include "core/profile/profile.h"
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
    showAnother(label);
  }
  void showAnother(const QString& label) {
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

/// Weights of a matrix and its moments.
std::unique_ptr<MemoryModel> checkpoint(unsigned seed, std::size_t rows) {
  auto model = std::make_unique<MemoryModel>();
  std::vector<MemoryModel::Weight> weights;
  for (const char* name :
       {"body.weight", "optimizer.body.weight.exp_avg", "optimizer.body.weight.exp_avg_sq"}) {
    weights.push_back({name, ElementType::F32, {rows, 32}, randomFloats(rows * 32, seed++)});
  }
  // Second moments have no sign: the top byte of a word of f32 is the last one.
  for (std::size_t at = 3; at < weights[2].bytes.size(); at += 4) weights[2].bytes[at] &= 0x7f;
  model->addFile("checkpoint.safetensors", "header", weights);
  model->description().tensors[1].kind = TensorKind::FirstMoment;
  model->description().tensors[2].kind = TensorKind::SecondMoment;
  return model;
}

TEST_F(VersionTest, SaysWhatAnOptimizersMomentsLost) {
  {
    auto store = Store::open(sample_.path());
    ASSERT_TRUE(store);
    ASSERT_TRUE(importBase(**store, *checkpoint(1, 32), {.name = "run"}, {}, {}));
    const auto profile = loadProfile({}, "resume");
    ASSERT_TRUE(profile);
    AddOptions options{.name = "run", .baseChoice = BaseChoice::Reference, .base = "run:v1"};
    options.quantize = profile->plan.quantize;
    ASSERT_TRUE(addVersion(**store, *checkpoint(7, 32), options, {}, {}));
    options.quantize->rules[1].bits = 0U;
    ASSERT_TRUE(addVersion(**store, *checkpoint(11, 32), options, {}, {}));
  }
  show("run:v2");
  page().showTab(gui::VersionPage::Quality);
  const auto says = [&](const QString& words) {
    for (auto* label : page().findChildren<QLabel*>()) {
      if (label->text().contains(words)) return true;
    }
    return false;
  };
  EXPECT_TRUE(says("First moments"));
  EXPECT_TRUE(says("Second moments"));
  EXPECT_TRUE(says("of their size"));
  EXPECT_FALSE(says("dropped"));
  showAnother("run:v3");
  EXPECT_TRUE(says("dropped: they restore to 0"));
  showAnother("tuned:v2");
  EXPECT_FALSE(says("First moments"));
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
