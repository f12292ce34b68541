// The profile editor: previews, measurements, searches and what is kept of them.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QGuiApplication>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QTimer>

#include "gui/charts/trade_off_chart.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/columns/record_table.h"
#include "gui/pages/tune_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/tune_form.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class TuneTest : public WindowTest {
 protected:
  gui::TunePage& page() { return window_.pages().tune(); }

  /// Goes to the page with a model whose base is stored.
  void begin() {
    open();
    gui::AddRequest base;
    base.path = modelFile("a.safetensors", 30);
    base.options.name = "enc";
    base.isBase = true;
    ASSERT_EQ(run(session().queue(), gui::addJob(window_.bench().store(), base)),
              gui::Job::State::Finished);
    ASSERT_TRUE(waitFor([&] { return box(page(), "Profile to begin with")->count() > 0; }));
    preview([&] { emit window_.bench().tune(tunedFile("b.safetensors", 30, 31)); });
  }
  /// Waits for the preview that `act` leads to.
  void preview(const std::function<void()>& act) {
    QSignalSpy previewed(&page(), &gui::TunePage::previewed);
    act();
    ASSERT_TRUE(previewed.wait(kPatienceMs));
  }
  gui::TradeOffChart& chart() { return *page().findChild<gui::TradeOffChart*>(); }
  /// The row of the chart's table with this first cell.
  QStringList point(const QString& name) {
    for (const QStringList& row : chart().table().rows) {
      if (row.value(0) == name) return row;
    }
    return {};
  }
  QString previewWords() {
    for (auto* one : page().findChildren<QLabel*>()) {
      if (one->accessibleName() == "Preview") return one->text();
    }
    return {};
  }
  QSlider& step() { return *page().findChild<QSlider*>(); }
  /// How long an edit waits for the next one.
  QTimer& delay() {
    return *page().findChild<gui::TuneForm*>()->findChild<QTimer*>({}, Qt::FindDirectChildrenOnly);
  }
  QCheckBox& live() { return *page().findChild<QCheckBox*>(); }
};

TEST_F(TuneTest, PreviewsTheModelAsSoonAsItIsChosen) {
  begin();
  const QStringList shown = point("preview");
  ASSERT_EQ(shown.size(), 5);
  EXPECT_TRUE(shown[3].startsWith("sampled: ")) << shown[3].toStdString();
  EXPECT_TRUE(previewWords().contains("Sampled 2 of 2 tensors")) << previewWords().toStdString();
  EXPECT_TRUE(previewWords().contains("Worst: ")) << previewWords().toStdString();
  EXPECT_EQ(table(page(), "Trials")->model()->rowCount(), 0);
}

TEST_F(TuneTest, PreviewsEachEdit) {
  begin();
  const QString before = point("preview")[1];
  preview([&] { step().setValue(30); });
  EXPECT_NE(point("preview")[1], before);
  EXPECT_EQ(chart().pointCount(), 1);
  preview([&] { page().findChild<QSpinBox*>()->setValue(0); });
  EXPECT_EQ(chart().pointCount(), 1);
}

TEST_F(TuneTest, RefusesASettingThatChangesNothing) {
  begin();
  auto* prune = page().findChild<QDoubleSpinBox*>();
  preview([&] { prune->setValue(20); });
  const QString told = page().banner().text();
  EXPECT_TRUE(told.contains("Prune: has no effect on codec")) << told.toStdString();
  EXPECT_EQ(chart().pointCount(), 0);
  QSignalSpy ended(&page(), &gui::TunePage::ended);
  click(page(), "Measure fully");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_TRUE(page().banner().text().contains("Prune: has no effect"));
  page().setTarget("error", "0.1");
  click(page(), "Find best");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_TRUE(page().banner().text().contains("Prune: has no effect"));
  EXPECT_EQ(table(page(), "Trials")->model()->rowCount(), 0);
  preview([&] { prune->setValue(prune->minimum()); });
  EXPECT_EQ(chart().pointCount(), 1);
  preview([&] { type(page(), "Protect", "typo*"); });
  EXPECT_TRUE(page().banner().text().contains("Protect: none of the 2 tensors matches typo*"))
      << page().banner().text().toStdString();
  preview([&] { type(page(), "Protect", "head*"); });
  EXPECT_EQ(page().banner().text(), "") << "what was wrong is mended";
}

TEST_F(TuneTest, ForgetsAPreviewThatIsOutOfDate) {
  begin();
  live().setChecked(false);
  EXPECT_EQ(chart().pointCount(), 0);
  EXPECT_EQ(previewWords(), "");
  QSignalSpy waited(&delay(), &QTimer::timeout);
  step().setValue(10);
  ASSERT_TRUE(waited.wait(kPatienceMs));
  EXPECT_EQ(previewWords(), "") << "no preview began";
  EXPECT_EQ(chart().pointCount(), 0);
  preview([&] { live().setChecked(true); });
  EXPECT_EQ(chart().pointCount(), 1);
}

TEST_F(TuneTest, ShowsTheLastOfManyEdits) {
  begin();
  for (int place = 1; place <= 20; ++place) {
    step().setValue(place);
    if (place % 5 != 0) continue;
    // The next edit meets a job at work, or one that is done.
    ASSERT_TRUE(waitFor([&] { return !previewWords().isEmpty(); }));
  }
  ASSERT_TRUE(waitFor([&] { return !point("preview").isEmpty(); }));
  const QString last = point("preview")[1];
  preview([&] { step().setValue(19); });
  preview([&] { step().setValue(20); });
  EXPECT_EQ(point("preview")[1], last);
}

TEST_F(TuneTest, MeasuresWhatWasPreviewedBesideIt) {
  begin();
  QSignalSpy ended(&page(), &gui::TunePage::ended);
  click(page(), "Measure fully");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_EQ(chart().pointCount(), 2);
  EXPECT_EQ(point("trial 1")[3], "measured");
  // So small a model is sampled as a whole.
  EXPECT_EQ(point("trial 1")[2], point("preview")[2]);
}

TEST_F(TuneTest, SaysInTheBannerWhyNothingCanBePreviewed) {
  begin();
  preview([&] {
    edit(page(), "Model")->setText(inFolder("gone.safetensors"));
    QTest::keyClick(edit(page(), "Model"), Qt::Key_Return);
  });
  EXPECT_TRUE(page().banner().text().contains("could not be previewed"))
      << page().banner().text().toStdString();
  EXPECT_TRUE(page().banner().text().contains("gone.safetensors"));
  EXPECT_EQ(chart().pointCount(), 0);
  preview([&] {
    edit(page(), "Model")->setText(inFolder("b.safetensors"));
    QTest::keyClick(edit(page(), "Model"), Qt::Key_Return);
  });
  EXPECT_EQ(chart().pointCount(), 1);
}

TEST_F(TuneTest, ProtectsTensors) {
  begin();
  const QString before = point("preview")[1];
  preview([&] { emit window_.bench().protect("head.weight"); });
  EXPECT_EQ(edit(page(), "Protect")->text(), "head.weight");
  EXPECT_TRUE(previewWords().contains("Worst: body.0.weight")) << previewWords().toStdString();
  EXPECT_NE(point("preview")[1], before);
  preview([&] { click(page(), "Protect the worst"); });
  EXPECT_EQ(edit(page(), "Protect")->text(), "head.weight body.0.weight");
  EXPECT_FALSE(button(page(), "Protect the worst")->isEnabled());
  EXPECT_TRUE(previewWords().contains("error 0")) << previewWords().toStdString();
  click(page(), "Copy the preview as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(
      " --protect-tensor head.weight --protect-tensor body.0.weight --estimate"));
}

TEST_F(TuneTest, CopiesThePreviewAsACommand) {
  begin();
  preview([&] { step().setValue(10); });
  click(page(), "Copy the preview as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "strata -C " + sample_.folder() + " tune " +
                                                      inFolder("b.safetensors") +
                                                      " --profile balanced --step 2 --estimate");
}

TEST_F(TuneTest, KeepsMeasuredSettingsAsAProfile) {
  begin();
  QSignalSpy ended(&page(), &gui::TunePage::ended);
  click(page(), "Measure fully");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  auto* trials = table(page(), "Trials");
  ASSERT_EQ(trials->model()->rowCount(), 1);
  EXPECT_FALSE(button(page(), "Save as profile")->isEnabled());
  trials->selectRow(0);
  type(page(), "Name of the profile", "mine");
  QSignalSpy saved(&page(), &gui::TunePage::profileSaved);
  click(page(), "Save as profile");
  ASSERT_TRUE(saved.wait(kPatienceMs));
  EXPECT_EQ(saved[0][0].toString(), "mine");
  click(page(), "Save as profile");
  ASSERT_TRUE(waitFor([&] { return page().banner().text().contains("STRATA-E"); }));
}

TEST_F(TuneTest, CountsTheNameThatAProfileIsSavedAs) {
  begin();
  const auto best = [&](const QString& target) {
    page().setTarget("size", target);
    QSignalSpy ended(&page(), &gui::TunePage::ended);
    click(page(), "Find best");
    EXPECT_TRUE(ended.wait(kPatienceMs));
    auto* trials = table(page(), "Trials");
    return trials->model()
        ->index(trials->currentIndex().row(), 1)
        .data(gui::SortRole)
        .toULongLong();
  };
  const QString most = QString::number(best("3kB"));
  ASSERT_LE(best(most), most.toULongLong());
  const QString longName = "n" + QString(99, u'a');
  QSignalSpy saved(&page(), &gui::TunePage::profileSaved);
  edit(page(), "Name of the profile")->setText(longName);
  click(page(), "Save as profile");
  EXPECT_TRUE(page().banner().text().contains("so long a name"))
      << page().banner().text().toStdString();
  EXPECT_EQ(saved.count(), 0);
  // With the name that is there already, all of it is counted.
  ASSERT_LE(best(most), most.toULongLong());
  click(page(), "Save as profile");
  ASSERT_TRUE(saved.wait(kPatienceMs));
  gui::AddRequest request;
  request.path = inFolder("b.safetensors");
  request.profile = longName;
  request.options.name = "kept";
  auto* job = gui::addJob(window_.bench().store(), request);
  std::uint64_t stored = 0;
  ASSERT_EQ(run(session().queue(), job, [&] { stored = job->report().added->version.storedBytes; }),
            gui::Job::State::Finished);
  EXPECT_LE(stored, most.toULongLong());
}

TEST_F(TuneTest, CopiesTheSearchAsACommand) {
  begin();
  page().setTarget("error", "0.1");
  click(page(), "Copy as command");
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            "strata -C " + sample_.folder() + " tune " + inFolder("b.safetensors") +
                " --profile balanced --target error=0.1 --trials 30");
}

TEST_F(TuneTest, SelectsTheTrialOfAPointThatIsActivated) {
  begin();
  page().setTarget("size", "3kB");
  QSignalSpy ended(&page(), &gui::TunePage::ended);
  click(page(), "Find best");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  auto* trials = table(page(), "Trials");
  ASSERT_GT(trials->model()->rowCount(), 1);
  const std::vector<QStringList> rows = chart().table().rows;
  for (int i = 0; i < chart().pointCount(); ++i) {
    if (rows[static_cast<std::size_t>(i)][0] == "preview") continue;
    chart().setCurrent(i);
    QTest::keyClick(&chart(), Qt::Key_Return);
    const QString number =
        trials->model()->index(trials->currentIndex().row(), 0).data().toString();
    EXPECT_EQ(rows[static_cast<std::size_t>(i)][0], "trial " + number);
  }
}

TEST_F(TuneTest, StopsASearch) {
  begin();
  page().setTarget("quality_loss", "0.5");
  type(page(), "Evaluator", "sleep 1000");
  QSignalSpy ended(&page(), &gui::TunePage::ended);
  click(page(), "Find best");
  EXPECT_FALSE(button(page(), "Find best")->isEnabled());
  click(page(), "Stop");
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_TRUE(button(page(), "Find best")->isEnabled());
  EXPECT_EQ(table(page(), "Trials")->model()->rowCount(), 0);
}

}  // namespace
}  // namespace strata::test
