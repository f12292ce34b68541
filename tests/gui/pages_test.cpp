// Adding, restoring, comparing and looking at versions, by clicks and keys.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QRadioButton>
#include <QSlider>
#include <QTabWidget>
#include <QToolButton>

#include "gui/charts/layer_chart.h"
#include "gui/jobs/settings_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/base_chooser.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class AddTest : public WindowTest {
 protected:
  gui::AddPage& page() { return window_.addPage(); }

  void inspect(const QString& path) {
    QSignalSpy inspected(&page(), &gui::AddPage::inspected);
    window_.showPage(Page::Add);
    page().begin({path});
    ASSERT_TRUE(inspected.wait(kPatienceMs));
  }
  QString add(const QString& button) {
    QSignalSpy added(&page(), &gui::AddPage::added);
    click(page(), button);
    if (!added.wait(kPatienceMs)) return page().banner().text();
    return added[0][0].toString();
  }
  void addBase() {
    inspect(modelFile("enc.safetensors", 30));
    ASSERT_EQ(add("Add base"), "enc:v1");
  }
  std::optional<ListRow> row(const QString& label) {
    for (const ListRow& one : session().snapshot()->rows) {
      if (gui::labelText(one.version) == label) return one;
    }
    return std::nullopt;
  }
};

TEST_F(AddTest, AddsAVersionWithNoteAndTags) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  const auto* bases = page().findChild<gui::BaseChooser*>();
  EXPECT_EQ(bases->base(), "enc:v1");
  EXPECT_EQ(edit(page(), "Name")->text(), "task");
  type(page(), "Note", "lr 2e-5");
  type(page(), "Tags", "prod, lab");
  ASSERT_EQ(add("Add version"), "task:v1");
  ASSERT_TRUE(waitFor([&] { return row("task:v1").has_value(); }));
  const ListRow stored = *row("task:v1");
  EXPECT_EQ(stored.version.note, "lr 2e-5");
  EXPECT_EQ(stored.version.tags, (std::vector<std::string>{"lab", "prod"}));
  EXPECT_EQ(stored.baseLabel, "enc:v1");
  EXPECT_FALSE(stored.version.lossy);
}

TEST_F(AddTest, CopiesTheCommandThatDoesTheSame) {
  open();
  addBase();
  const QString file = tunedFile("task.safetensors", 30, 31);
  inspect(file);
  type(page(), "Note", "a b");
  click(page(), "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "strata -C " + sample_.folder() + " add task " +
                                                      file +
                                                      " --base enc:v1 --profile exact -m 'a b'");
}

TEST_F(AddTest, EstimatesWithoutWriting) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  ASSERT_TRUE(waitFor([&] { return rowCount() == 4; }));  // the base is listed
  click(page(), "Estimate");
  ASSERT_TRUE(waitFor([&] {
    for (auto* label : page().findChildren<QLabel*>()) {
      if (label->text().startsWith("would store")) return true;
    }
    return false;
  }));
  EXPECT_EQ(rowCount(), 4U);
}

TEST_F(AddTest, SaysWhatTheNextVersionIsCalled) {
  open();
  inspect(modelFile("tuned.safetensors", 50));
  const auto hint = [&] {
    for (auto* label : page().findChildren<QLabel*>()) {
      if (label->text().contains("becomes")) return label->text();
    }
    return QString();
  };
  EXPECT_EQ(hint(), "becomes tuned:v3");
  type(page(), "Name", "fresh");
  EXPECT_EQ(hint(), "a new name: becomes fresh:v1");
  edit(page(), "Name")->clear();
  EXPECT_FALSE(button(page(), "Add base")->isEnabled());
}

TEST_F(AddTest, SaysThatAModelIsStoredAlready) {
  open();
  addBase();
  inspect(inFolder("enc.safetensors"));
  type(page(), "Name", "enc");
  for (auto* choice : page().findChildren<QRadioButton*>()) {
    if (choice->text().startsWith("None")) choice->click();
  }
  click(page(), "Add base");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("no new version"); }))
      << page().banner().text().toStdString();
}

TEST_F(AddTest, StoresAModelInFullWhereNoBaseIsChosen) {
  open();
  addBase();
  inspect(tunedFile("task.safetensors", 30, 31));
  EXPECT_TRUE(box(page(), "Profile")->isEnabled());
  for (auto* choice : page().findChildren<QRadioButton*>()) {
    if (choice->text().startsWith("None"))
      QTest::mouseClick(choice, Qt::LeftButton, {}, {8, choice->height() / 2});
  }
  EXPECT_FALSE(box(page(), "Profile")->isEnabled());
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" import "));
  ASSERT_EQ(add("Add base"), "task:v1");
  ASSERT_TRUE(waitFor([&] { return row("task:v1") && row("task:v1")->version.isBase(); }));
}

TEST_F(AddTest, OffersToStoreTheNearestWhereATargetIsMissed) {
  open();
  addBase();
  Profile wish{.name = "wish"};
  QualityPlan plan;
  plan.target.bytes = 1;
  plan.trials = 2;
  wish.text = qualityProfileText("lossy: one byte", plan);
  ASSERT_EQ(run(session().queue(), gui::saveProfileJob(wish, Replace::Yes)),
            gui::Job::State::Finished);
  page().setProfiles({"exact", "wish"});
  inspect(tunedFile("task.safetensors", 30, 31));
  box(page(), "Profile")->setCurrentText("wish");
  EXPECT_FALSE(button(page(), "Estimate")->isEnabled());
  click(page(), "Add version");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("Nothing was stored"); }))
      << page().banner().text().toStdString();
  EXPECT_FALSE(row("task:v1"));
  QSignalSpy added(&page(), &gui::AddPage::added);
  click(page().banner(), "Store the nearest");
  ASSERT_TRUE(added.wait(kPatienceMs));
  ASSERT_TRUE(waitFor([&] { return row("task:v1").has_value(); }));
  EXPECT_TRUE(row("task:v1")->version.lossy);
}

TEST_F(AddTest, StoresNothingThatMissesTheErrorThatIsAskedFor) {
  open();
  addBase();
  page().setProfiles({"exact", "balanced"});
  inspect(tunedFile("task.safetensors", 30, 31));
  EXPECT_FALSE(edit(page(), "Error at most")->isVisible());
  box(page(), "Profile")->setCurrentText("balanced");
  ASSERT_TRUE(edit(page(), "Error at most")->isVisible());
  type(page(), "Error at most", "much");
  click(page(), "Add version");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("STRATA-E2"); }))
      << page().banner().text().toStdString();
  EXPECT_TRUE(page().banner().text().contains("much"));
  type(page(), "Error at most", "0.9");
  EXPECT_TRUE(commands(page()).front().contains(" --target error=0.9"));
  EXPECT_EQ(add("Add version"), "task:v1");
}

TEST_F(AddTest, GoesBackWithoutAddingOnCancel) {
  open();
  inspect(modelFile("enc.safetensors", 30));
  click(page(), "Cancel");
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_EQ(rowCount(), 3U);
}

class RestoreTest : public WindowTest {
 protected:
  gui::RestorePage& page() { return window_.restorePage(); }

  void begin(const QString& target) {
    open();
    QSignalSpy planned(&page(), &gui::RestorePage::planned);
    press(Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(planned.wait(kPatienceMs));
    page().setTarget(target);
    ASSERT_TRUE(planned.wait(kPatienceMs));
  }
  void choose(const QString& words) {
    QSignalSpy planned(&page(), &gui::RestorePage::planned);
    for (auto* one : page().findChildren<QRadioButton*>()) {
      if (one->text() == words) one->click();
    }
    ASSERT_TRUE(planned.wait(kPatienceMs));
  }
};

TEST_F(RestoreTest, KeepsTheOldFileWhereItIsAskedTo) {
  const QString target = inFolder("mine.safetensors");
  writeWhole(target.toStdString(), "mine");
  begin(target);
  EXPECT_FALSE(button(page(), "Restore")->isEnabled());
  choose("keep it as NAME.bak");
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --backup"));
  QSignalSpy restored(&page(), &gui::RestorePage::restored);
  click(page(), "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_EQ(readWhole(target.toStdString() + ".bak"), "mine");
  EXPECT_NE(readWhole(target.toStdString()), "mine");
}

TEST_F(RestoreTest, ReplacesOnlyWhenTold) {
  const QString target = inFolder("mine.safetensors");
  writeWhole(target.toStdString(), "mine");
  begin(target);
  choose("replace it");
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --force"));
  QSignalSpy restored(&page(), &gui::RestorePage::restored);
  click(page(), "Restore");
  ASSERT_TRUE(restored.wait(kPatienceMs));
  EXPECT_NE(readWhole(target.toStdString()), "mine");
}

TEST_F(RestoreTest, SaysTheDigestWasNotComparedInTheCommand) {
  begin(inFolder("out.safetensors"));
  auto* check = page().findChild<QCheckBox*>();
  ASSERT_TRUE(check->isChecked());
  QTest::mouseClick(check, Qt::LeftButton, {}, {8, check->height() / 2});
  EXPECT_FALSE(check->isChecked());
  click(page(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(" --no-verify"));
}

class CompareTest : public WindowTest {
 protected:
  gui::ComparePage& page() { return window_.comparePage(); }

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

class VersionTest : public WindowTest {
 protected:
  gui::VersionPage& page() { return window_.versionPage(); }

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
