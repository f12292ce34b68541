// Pages and charts in light and dark, at once and twice the pixels.
#include <gtest/gtest.h>

#include <QApplication>
#include <cmath>
#include <cstring>
#include <tuple>

#include "gui/charts/size_bar.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/look/theme.h"
#include "gui/widgets/views/chart_frame.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

/// The widget as a screen of this many pixels per unit shows it.
QImage drawn(QWidget& widget, int scale) {
  QImage image(widget.size() * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::magenta);
  widget.render(&image);
  return image;
}

/// Mean lightness of a picture, 0 to 255.
double lightness(const QImage& image) {
  double sum = 0;
  int count = 0;
  for (int y = 0; y < image.height(); y += 5) {
    for (int x = 0; x < image.width(); x += 5) {
      sum += image.pixelColor(x, y).lightness();
      ++count;
    }
  }
  return sum / count;
}

/// Mean difference of two pictures of one size, 0 to 255.
double difference(const QImage& a, const QImage& b) {
  double sum = 0;
  int count = 0;
  for (int y = 0; y < a.height(); y += 3) {
    for (int x = 0; x < a.width(); x += 3) {
      sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
      ++count;
    }
  }
  return sum / count;
}

class RenderingTest : public WindowTest {
 protected:
  ~RenderingTest() override { gui::applyTheme(gui::Theme::Light); }

  /// Shows every page that needs no more than a store.
  void onEveryPage(const std::function<void(Page)>& look) {
    open();
    QSignalSpy shown(&window_.pages().version(), &gui::VersionPage::shown);
    emit window_.bench().showVersion("tuned:v2");
    ASSERT_TRUE(shown.wait(kPatienceMs));
    QSignalSpy settings(&window_.pages().settings(), &gui::SettingsPage::shown);
    window_.showPage(Page::Settings);
    ASSERT_TRUE(settings.wait(kPatienceMs));
    for (const Page page :
         {Page::Library, Page::Version, Page::Compare, Page::Add, Page::Restore, Page::Tune,
          Page::Remotes, Page::Hub, Page::Transfers, Page::Storage, Page::Settings}) {
      SCOPED_TRACE(static_cast<int>(page));
      window_.showPage(page);
      QCoreApplication::processEvents();
      look(page);
    }
  }
};

TEST_F(RenderingTest, IsTheSameAtTwiceThePixels) {
  onEveryPage([&](Page) {
    const QImage once = drawn(window_, 1);
    const QImage twice = drawn(window_, 2);
    ASSERT_EQ(twice.size(), once.size() * 2);
    QImage half = twice.scaled(once.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    half.setDevicePixelRatio(1);
    EXPECT_LT(difference(once, half), 12);
  });
}

TEST_F(RenderingTest, IsDarkInDarkAndLightInLight) {
  onEveryPage([&](Page) {
    gui::applyTheme(gui::Theme::Dark);
    QCoreApplication::processEvents();
    EXPECT_LT(lightness(drawn(window_, 1)), 90);
    gui::applyTheme(gui::Theme::Light);
    QCoreApplication::processEvents();
    EXPECT_GT(lightness(drawn(window_, 1)), 190);
  });
}

TEST_F(RenderingTest, LeavesNoPlaceUnpainted) {
  onEveryPage([&](Page) {
    const QImage image = drawn(window_, 1);
    int bare = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) bare += image.pixelColor(x, y) == Qt::magenta;
    }
    EXPECT_EQ(bare, 0);
  });
}

TEST_F(RenderingTest, WritesAChartAsItIsShown) {
  auto* chart = new gui::SizeBar;
  chart->setParts({{"a", 1'000}, {"b", 2'000}});
  gui::ChartFrame frame("Sizes", chart);
  frame.resize(500, 200);
  frame.show();
  QObject::connect(&frame, &gui::ChartFrame::exported, &window_.bench(),
                   &gui::Workbench::writeFile);
  for (const auto& [name, kind, start] :
       {std::tuple{"chart.svg", gui::Chart::PictureKind::Svg, "<?xml"},
        std::tuple{"chart.png", gui::Chart::PictureKind::Png, "\x89PNG"}}) {
    const auto file = sample_.files() / name;
    emit frame.exported(QString::fromStdString(file.string()), chart->picture(kind));
    ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(file); }));
    ASSERT_TRUE(waitFor([&] { return readWhole(file.string()).size() > 200; }));
    EXPECT_EQ(readWhole(file.string()).substr(0, std::strlen(start)), start);
  }
  QSignalSpy trouble(&window_.bench(), &gui::Workbench::trouble);
  const auto inside = sample_.files() / "chart.svg" / "inside.svg";
  emit frame.exported(QString::fromStdString(inside.string()), chart->picture({}));
  ASSERT_TRUE(trouble.wait(kPatienceMs));
  EXPECT_TRUE(trouble[0][0].value<gui::Problem>().what.contains("could not be written"));
}

}  // namespace
}  // namespace strata::test
