// Comparing versions and files, by clicks and keys.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QSlider>

#include "gui/jobs/store_ops.h"
#include "gui/pages/compare_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class CompareTest : public WindowTest {
 protected:
  gui::ComparePage& page() { return window_.pages().compare(); }

  void compare(const QString& a, const QString& b) {
    QSignalSpy compared(&page(), &gui::ComparePage::compared);
    emit window_.bench().compare(a, b);
    ASSERT_TRUE(compared.wait(kPatienceMs));
  }
};

TEST_F(CompareTest, HidesSmallChangesUnderTheThreshold) {
  open();
  compare({}, "tuned:v2");
  auto* view = table(page(), "Tensors that differ");
  const int all = view->model()->rowCount();
  ASSERT_GT(all, 0);
  auto* slider = page().findChild<QSlider*>();
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_End);
  EXPECT_DOUBLE_EQ(page().threshold(), 1.0);
  EXPECT_LE(view->model()->rowCount(), all);
  click(page(), "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            "strata -C " + sample_.folder() + " diff tuned:v2 --tensors --threshold 100%");
  QTest::keyClick(slider, Qt::Key_Home);
  EXPECT_EQ(view->model()->rowCount(), all);
}

TEST_F(CompareTest, BeginsWithTheVersionThatIsSelected) {
  open();
  page().suggest("tuned:v2");
  EXPECT_EQ(box(page(), "Side B")->currentText(), "tuned:v2");
  compare("tuned:v1", "tuned:v2");
  page().suggest("tuned:v1");
  EXPECT_EQ(box(page(), "Side B")->currentText(), "tuned:v2") << "what is shown stays";
}

TEST_F(CompareTest, SwapsItsSides) {
  open();
  compare("tuned:v1", "tuned:v2");
  QSignalSpy compared(&page(), &gui::ComparePage::compared);
  click(page(), "Swap the sides");
  ASSERT_TRUE(compared.wait(kPatienceMs));
  EXPECT_EQ(box(page(), "Side A")->currentText(), "tuned:v2");
  EXPECT_EQ(box(page(), "Side B")->currentText(), "tuned:v1");
  page().compareWithFile(tunedFile("mine.safetensors", 30, 2));
  ASSERT_TRUE(compared.wait(kPatienceMs));
  click(page(), "Swap the sides");
  ASSERT_TRUE(compared.wait(kPatienceMs));
  EXPECT_EQ(box(page(), "Side A")->currentText(), "mine.safetensors");
  EXPECT_EQ(box(page(), "Side B")->currentText(), "tuned:v2");
  compare({}, "tuned:v2");
  EXPECT_FALSE(button(page(), "Swap the sides")->isEnabled());
}

TEST_F(CompareTest, ShowsNoDifferenceOfAVersionToItself) {
  open();
  compare("tuned:v2", "tuned:v2");
  EXPECT_EQ(table(page(), "Tensors that differ")->model()->rowCount(), 0);
}

TEST_F(CompareTest, ShowsWhatEitherSideChangedOfItsBase) {
  open();
  compare({}, "tuned:v2");
  auto* bases = page().findChild<QCheckBox*>();
  ASSERT_EQ(bases->text(), "Base, too");
  EXPECT_FALSE(bases->isEnabled());
  auto* view = table(page(), "Tensors that differ");
  const QString toBase = view->model()->index(0, 3).data().toString();
  const QString tensor = view->model()->index(0, 0).data().toString();
  compare("tuned:v1", "tuned:v2");
  EXPECT_TRUE(view->isColumnHidden(gui::kFromBaseColumns[0]));
  QSignalSpy both(&page(), &gui::ComparePage::basesCompared);
  QTest::mouseClick(bases, Qt::LeftButton, {}, {8, bases->height() / 2});
  ASSERT_TRUE(both.wait(kPatienceMs));
  EXPECT_FALSE(view->isColumnHidden(gui::kFromBaseColumns[0]));
  bool isThere = false;
  for (int row = 0; row < view->model()->rowCount(); ++row) {
    const auto cell = [&](int column) {
      return view->model()->index(row, column).data().toString();
    };
    EXPECT_NE(cell(gui::kFromBaseColumns[0]), "-");
    if (cell(0) != tensor) continue;
    isThere = true;
    EXPECT_EQ(cell(gui::kFromBaseColumns[1]), toBase);
  }
  EXPECT_TRUE(isThere);
  auto* facts = table(page(), "Summary")->model();
  EXPECT_EQ(facts->index(facts->rowCount() - 1, 0).data().toString(), "From the base");
  const QString diff = "strata -C " + sample_.folder() + " diff ";
  EXPECT_EQ(commands(page()),
            QStringList({diff + "tuned:v1 tuned:v2 --tensors", diff + "tuned:v1 --tensors",
                         diff + "tuned:v2 --tensors"}));
}

TEST_F(CompareTest, SaysThatAVersionIsNotThere) {
  open();
  compare({}, "tuned:v2");
  emit window_.bench().compare("tuned:v1", "tuned:v9");
  EXPECT_TRUE(page().banner().text().contains("tuned:v9 is not in this store"))
      << page().banner().text().toStdString();
  EXPECT_EQ(table(page(), "Tensors that differ")->model()->rowCount(), 0);
  compare("tuned:v1", "tuned:v2");
  EXPECT_EQ(page().banner().text(), "");
}

TEST_F(CompareTest, SaysThatAFileIsNoModelAndComparesTheNext) {
  open();
  compare({}, "tuned:v2");
  writeWhole((sample_.files() / "notes.onnx").string(), "no model");
  gui::Banner& banner = page().banner();
  box(page(), "Side A")->setCurrentText("tuned:v1");
  page().compareWithFile(inFolder("notes.onnx"));
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("STRATA-E"); }));
  EXPECT_TRUE(banner.text().contains("notes.onnx")) << banner.text().toStdString();
  page().compareWithFile(inFolder("gone.onnx"));
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("gone.onnx"); }));
  QSignalSpy compared(&page(), &gui::ComparePage::compared);
  page().compareWithFile(tunedFile("good.safetensors", 30, 2));
  ASSERT_TRUE(compared.wait(kPatienceMs));
  EXPECT_EQ(banner.text(), "");
}

TEST_F(CompareTest, ShowsTheErrorOfALossyVersionAgainstItsOriginal) {
  open();
  gui::AddRequest base;
  base.path = modelFile("enc.safetensors", 30);
  base.options.name = "enc";
  base.isBase = true;
  ASSERT_EQ(run(session().queue(), gui::addJob(window_.bench().store(), base)),
            gui::Job::State::Finished);
  gui::AddRequest lossy;
  lossy.path = tunedFile("tuned.safetensors", 30, 31);
  lossy.profile = "balanced";
  lossy.options.name = "small";
  lossy.options.baseChoice = BaseChoice::Reference;
  lossy.options.base = "enc";
  ASSERT_EQ(run(session().queue(), gui::addJob(window_.bench().store(), lossy)),
            gui::Job::State::Finished);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 5; }));
  compare({}, "tuned:v2");
  EXPECT_NE(button(page(), "File on disk..."), nullptr);
  compare({}, "small:v1");
  EXPECT_NE(button(page(), "Original on disk..."), nullptr);
  QSignalSpy compared(&page(), &gui::ComparePage::compared);
  page().compareWithFile(lossy.path);
  ASSERT_TRUE(compared.wait(kPatienceMs));
  EXPECT_EQ(box(page(), "Side A")->currentText(), "tuned.safetensors");
  EXPECT_EQ(box(page(), "Side B")->currentText(), "small:v1");
  auto* tensors = table(page(), "Tensors that differ");
  ASSERT_GT(tensors->model()->rowCount(), 0);
  EXPECT_GT(tensors->model()->index(0, 3).data().toDouble(), 0);
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("tuned.safetensors small:v1"));
}

}  // namespace
}  // namespace strata::test
