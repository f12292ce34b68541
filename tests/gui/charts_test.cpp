#include <gtest/gtest.h>

#include <QPainter>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <memory>

#include "gui/charts/axis.h"
#include "gui/charts/histogram_chart.h"
#include "gui/charts/layer_chart.h"
#include "gui/charts/size_bar.h"
#include "gui/charts/timeline_chart.h"
#include "gui/charts/trade_off_chart.h"
#include "gui/widgets/views/chart_frame.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Chart;

/// One of each, with data.
std::vector<std::unique_ptr<Chart>> allCharts() {
  std::vector<std::unique_ptr<Chart>> charts;
  auto histogram = std::make_unique<gui::HistogramChart>();
  Histogram numbers;
  numbers.count = 10;
  numbers.low = -1;
  numbers.high = 1;
  numbers.bins = {1, 2, 4, 2, 1};
  histogram->setHistogram("values", numbers);
  charts.push_back(std::move(histogram));
  auto layers = std::make_unique<gui::LayerChart>();
  layers->setLayers({{.name = "l.0", .elements = 8, .deltaBytes = 4},
                     {.name = "l.1", .elements = 8, .deltaBytes = 1, .newBytes = 1}});
  charts.push_back(std::move(layers));
  auto sizes = std::make_unique<gui::SizeBar>();
  sizes->setParts({{"small", 10}, {"large", 90}});
  charts.push_back(std::move(sizes));
  auto timeline = std::make_unique<gui::TimelineChart>();
  timeline->setVersions(
      {makeRow("a", 2, "b:v1"), makeRow("a", 1, "b:v1"), makeRow("a", 3, "b:v1")});
  charts.push_back(std::move(timeline));
  auto tradeOff = std::make_unique<gui::TradeOffChart>();
  tradeOff->setPoints(
      {{.name = "trial 1", .storedBytes = 100, .loss = 0.5, .isOnFrontier = true},
       {.name = "trial 2", .storedBytes = 50, .loss = 0.9, .isOnFrontier = true, .isChosen = true},
       {.name = "preview",
        .storedBytes = 70,
        .loss = 0.7,
        .band = gui::TradeOffBand{60, 80, 0.65, 0.75}}},
      "points lost", 0.6, 80);
  charts.push_back(std::move(tradeOff));
  for (const auto& chart : charts) chart->resize(400, 220);
  return charts;
}

TEST(EveryChart, WalksThroughItsPointsByKeyboardWithoutWrapping) {
  for (const auto& chart : allCharts()) {
    SCOPED_TRACE(chart->accessibleName().toStdString());
    QSignalSpy moved(chart.get(), &Chart::currentChanged);
    const int last = chart->pointCount() - 1;
    ASSERT_GE(last, 1);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    EXPECT_EQ(chart->current(), 0);
    EXPECT_EQ(chart->accessibleDescription(), chart->pointText(0));
    QTest::keyClick(chart.get(), Qt::Key_End);
    EXPECT_EQ(chart->current(), last);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    EXPECT_EQ(chart->current(), last);
    QTest::keyClick(chart.get(), Qt::Key_Home);
    QTest::keyClick(chart.get(), Qt::Key_Left);
    EXPECT_EQ(chart->current(), 0);
    EXPECT_EQ(moved.count(), 3);
    QSignalSpy activated(chart.get(), &Chart::activated);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    EXPECT_EQ(activated.count(), 1);
  }
}

TEST(EveryChart, HasNameSummaryAndOneTableRowAPoint) {
  for (const auto& chart : allCharts()) {
    SCOPED_TRACE(chart->accessibleName().toStdString());
    EXPECT_FALSE(chart->accessibleName().isEmpty());
    EXPECT_FALSE(chart->summary().isEmpty());
    const gui::ChartTable table = chart->table();
    EXPECT_EQ(static_cast<int>(table.rows.size()), chart->pointCount());
    for (const QStringList& row : table.rows) EXPECT_EQ(row.size(), table.titles.size());
  }
}

TEST(EveryChart, DrawsAndExportsInLightAndDark) {
  for (const bool dark : {false, true}) {
    for (const auto& chart : allCharts()) {
      SCOPED_TRACE(chart->accessibleName().toStdString());
      QPalette palette;
      palette.setColor(QPalette::Base, dark ? Qt::black : Qt::white);
      palette.setColor(QPalette::Text, dark ? Qt::white : Qt::black);
      chart->setPalette(palette);
      const QImage image = chart->grab().toImage();
      int inked = 0;
      for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3) {
          inked += image.pixelColor(x, y) != palette.color(QPalette::Base) ? 1 : 0;
        }
      }
      EXPECT_GT(inked, 50);
      const QByteArray svg = chart->picture(Chart::PictureKind::Svg);
      EXPECT_TRUE(svg.contains("<svg")) << svg.left(80).toStdString();
      const QImage png = QImage::fromData(chart->picture(Chart::PictureKind::Png), "PNG");
      EXPECT_EQ(png.size(), chart->size() * 2);
    }
  }
}

TEST(EveryChart, SelectsThePointThatIsClicked) {
  for (const auto& chart : allCharts()) {
    SCOPED_TRACE(chart->accessibleName().toStdString());
    QSignalSpy activated(chart.get(), &Chart::activated);
    for (int y = 0; y < chart->height() && activated.isEmpty(); y += 5) {
      for (int x = 0; x < chart->width() && activated.isEmpty(); x += 5) {
        QTest::mouseClick(chart.get(), Qt::LeftButton, {}, {x, y});
      }
    }
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated[0][0].toInt(), chart->current());
  }
}

TEST(EveryChart, DrawsNothingButAHintWithoutData) {
  gui::HistogramChart histogram;
  gui::LayerChart layers;
  gui::SizeBar sizes;
  gui::TimelineChart timeline;
  gui::TradeOffChart tradeOff;
  for (Chart* chart :
       std::initializer_list<Chart*>{&histogram, &layers, &sizes, &timeline, &tradeOff}) {
    chart->resize(300, 200);
    EXPECT_EQ(chart->pointCount(), 0);
    EXPECT_FALSE(chart->summary().isEmpty());
    QTest::keyClick(chart, Qt::Key_Right);
    EXPECT_EQ(chart->current(), -1);
    EXPECT_FALSE(chart->grab().isNull());
  }
}

TEST(SizeBar, JoinsSmallPartsAndSortsTheOthers) {
  gui::SizeBar bar;
  std::vector<gui::SizeBar::Part> parts;
  for (int i = 1; i <= 20; ++i)
    parts.push_back({QString::number(i), static_cast<std::uint64_t>(i)});
  bar.setParts(parts);
  EXPECT_EQ(bar.pointCount(), 9);
  EXPECT_TRUE(bar.pointText(0).startsWith("20:"));
  EXPECT_TRUE(bar.pointText(8).startsWith("12 more: 78 B")) << bar.pointText(8).toStdString();
}

TEST(TimelineChart, ShowsAllVersionsInOrder) {
  gui::TimelineChart chart;
  std::vector<ListRow> rows;
  for (std::uint32_t i = 1; i <= 300; ++i) rows.push_back(makeRow("a", i, "b:v1"));
  std::reverse(rows.begin(), rows.end());
  chart.setVersions(rows);
  EXPECT_EQ(chart.pointCount(), 300);
  EXPECT_EQ(chart.label(0), "a:v1");
  EXPECT_EQ(chart.label(299), "a:v300");
  EXPECT_EQ(chart.table().rows.size(), 300U);
  chart.resize(600, 120);
  EXPECT_FALSE(chart.grab().isNull());
}

TEST(TimelineChart, SaysWhichVersionsAreNotHere) {
  gui::TimelineChart chart;
  chart.resize(400, 120);
  std::vector<ListRow> rows{makeRow("a", 1, "b:v1"), makeRow("a", 2, "b:v1")};
  rows[1].awaited = {1, 20'000, 20'000};
  chart.setVersions(rows);
  EXPECT_FALSE(chart.pointText(0).contains("not here"));
  EXPECT_TRUE(chart.pointText(1).contains(", not here, 20.0 kB to fetch"));
  EXPECT_EQ(chart.table().rows[0].back(), "yes");
  EXPECT_EQ(chart.table().rows[1].back(), "not here, 20.0 kB to fetch");
  EXPECT_FALSE(chart.grab().isNull());
}

TEST(TradeOffChart, TellsWhatWasSampledFromWhatWasMeasured) {
  gui::TradeOffChart chart;
  chart.resize(400, 300);
  const gui::TradeOffPoint measured{.name = "trial 1", .storedBytes = 100'000, .loss = 0.5};
  gui::TradeOffPoint preview{.name = "preview", .storedBytes = 50'000, .loss = 0.9};
  preview.band = gui::TradeOffBand{45'000, 55'000, 0.85, 0.95};
  chart.setPoints({measured, preview}, "relative error", {}, {});
  EXPECT_EQ(chart.pointText(0),
            "preview: 50.0 kB, relative error 0.9, sampled: 45.0 kB to 55.0 kB, 0.85 to 0.95");
  EXPECT_EQ(chart.pointText(1), "trial 1: 100.0 kB, relative error 0.5, measured");
  EXPECT_TRUE(chart.summary().contains("sampled")) << chart.summary().toStdString();
  EXPECT_EQ(chart.table().rows[0][3], "sampled: 45.0 kB to 55.0 kB, 0.85 to 0.95");
  EXPECT_EQ(chart.table().rows[1][3], "measured");
  // The dot of a measured point is filled, that of a sampled one is not.
  const QImage image = chart.grab().toImage();
  const gui::ChartColors colors = gui::ChartColors::from(chart.palette());
  const auto inkAt = [&](int point) {
    chart.setCurrent(-1);
    for (int y = 0; y < chart.height(); ++y) {
      for (int x = 0; x < chart.width(); ++x) {
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {x, y});
        if (chart.current() == point) return image.pixelColor(x + 8, y + 8);
      }
    }
    return QColor();
  };
  EXPECT_EQ(inkAt(1).name(), colors.main.name());
  EXPECT_NE(inkAt(0).name(), colors.main.name());
}

TEST(TradeOffChart, PlacesAPreviewOfUnknownQualityOutsideTheScale) {
  gui::TradeOffChart chart;
  chart.resize(400, 300);
  gui::TradeOffPoint preview{.name = "preview", .storedBytes = 50'000};
  preview.band = gui::TradeOffBand{45'000, 55'000, 0, 0};
  chart.setPoints({{.name = "trial 1", .storedBytes = 80'000, .loss = 0.5}, preview}, "points lost",
                  {}, {});
  EXPECT_EQ(chart.pointText(0),
            "preview: 50.0 kB, quality not measured, sampled: 45.0 kB to 55.0 kB");
  EXPECT_EQ(chart.table().rows[0][2], "not measured");
  EXPECT_FALSE(chart.grab().isNull());
}

TEST(ChartFrame, ShowsTheTableTwin) {
  auto* chart = new gui::SizeBar;
  chart->setParts({{"a", 1}, {"b", 2}});
  gui::ChartFrame frame("Sizes", chart);
  EXPECT_FALSE(frame.isTable());
  frame.findChildren<QToolButton*>().front()->click();
  EXPECT_TRUE(frame.isTable());
  EXPECT_EQ(frame.findChild<QTableView*>()->model()->rowCount(), 2);
}

TEST(ChartFrame, KeepsTheTableUpToDate) {
  auto* bar = new gui::SizeBar;
  gui::ChartFrame frame("On disk", bar);
  bar->setParts({{"a", 1000}});
  frame.showAsTable(true);
  const auto* view = frame.findChild<QTableView*>();
  EXPECT_EQ(view->model()->rowCount(), 1);
  bar->setParts({{"a", 1000}, {"b", 500}});
  EXPECT_EQ(view->model()->rowCount(), 2);
}

TEST(Ticks, AreRoundAndInside) {
  const auto places = gui::ticks(0.013, 0.97, 5);
  ASSERT_GE(places.size(), 3U);
  EXPECT_GE(places.front(), 0.013);
  EXPECT_LE(places.back(), 0.97 + 1e-9);
  EXPECT_NEAR(places[1] - places[0], 0.2, 1e-12);
  EXPECT_EQ(gui::ticks(1, 1, 5).size(), 1U);
}

}  // namespace
}  // namespace strata::test
