// Times of the window: models of 10,000 versions, the first rows of a store, painting.
//
//   QT_QPA_PLATFORM=offscreen build/ci/bench/gui_bench
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QScrollBar>
#include <QSignalSpy>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "gui/jobs/store_session.h"
#include "gui/main_window.h"
#include "gui/models/lineage_model.h"
#include "gui/widgets/look/theme.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/gui_samples.h"

namespace {

using strata::gui::LineageModel;

void filterVersions(benchmark::State& state) {
  LineageModel model;
  model.setSnapshot(strata::test::makeLibrary(static_cast<int>(state.range(0)) / 10, 10));
  bool isOn = false;
  for (auto _ : state) {
    isOn = !isOn;
    model.setFilter(isOn ? QStringLiteral("tuned-7 v3") : QString());
    benchmark::DoNotOptimize(model.shownVersions());
  }
}
BENCHMARK(filterVersions)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

void sortVersions(benchmark::State& state) {
  LineageModel model;
  model.setSnapshot(strata::test::makeLibrary(static_cast<int>(state.range(0)) / 10, 10));
  int column = LineageModel::StoredColumn;
  for (auto _ : state) {
    column = column == LineageModel::StoredColumn ? LineageModel::DateColumn
                                                  : LineageModel::StoredColumn;
    model.sort(column, Qt::DescendingOrder);
  }
}
BENCHMARK(sortVersions)->Arg(10000)->Unit(benchmark::kMillisecond);

/// One page down and its painting: what a frame costs while one scrolls.
void scrollFrame(benchmark::State& state) {
  LineageModel model;
  strata::gui::LineageView view(&model);
  view.resize(1000, 700);
  view.show();
  model.setSnapshot(strata::test::makeLibrary(static_cast<int>(state.range(0)), 1));
  model.find(QStringLiteral("tuned-9999:v1"));  // unfolds all of them
  view.expandAll();
  QImage frame(view.viewport()->size(), QImage::Format_RGB32);
  QScrollBar* bar = view.verticalScrollBar();
  for (auto _ : state) {
    bar->setValue(bar->value() >= bar->maximum() ? 0 : bar->value() + bar->pageStep());
    view.viewport()->render(&frame);
  }
}
BENCHMARK(scrollFrame)->Arg(10000)->Unit(benchmark::kMillisecond);

/// A window from nothing to its first painting, in a process that has Qt loaded.
void startWindow(benchmark::State& state) {
  for (auto _ : state) {
    strata::gui::MainWindow window{strata::gui::Preferences{}};
    window.resize(1280, 800);
    window.show();
    benchmark::DoNotOptimize(window.grab());
  }
}
BENCHMARK(startWindow)->Unit(benchmark::kMillisecond);

/// A store of `count` versions, made once a run. Names have 20 versions each.
const strata::test::StoreSample& storeOf(int count) {
  static std::map<int, std::unique_ptr<strata::test::StoreSample>> stores;
  auto& store = stores[count];
  if (!store) {
    store = std::make_unique<strata::test::StoreSample>();
    for (int i = 3; i < count; ++i) {
      store->add("v" + std::to_string(i % std::max(1, count / 20)), static_cast<unsigned>(i));
    }
  }
  return *store;
}

/// Memory of the process's own, in MB: what no file is behind.
double anonymousMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) * 1024 / 1e6;
  }
  return 0;
}

/// From asking for a store of so many versions to its rows in the library, painted.
void openStore(benchmark::State& state) {
  const QString folder = storeOf(static_cast<int>(state.range(0))).folder();
  strata::gui::MainWindow window{strata::gui::Preferences{}};
  window.resize(1280, 800);
  window.show();
  benchmark::DoNotOptimize(window.grab());
  for (auto _ : state) {
    QSignalSpy listed(&window.bench().session(), &strata::gui::StoreSession::listed);
    window.openStore(folder);
    if (!listed.wait(60'000)) return state.SkipWithError("the store did not open");
    benchmark::DoNotOptimize(window.grab());
  }
  state.counters["anonymous_MB"] = anonymousMegabytes();
}
BENCHMARK(openStore)
    ->Arg(1000)
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  strata::gui::applyTheme(strata::gui::Theme::Light);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
