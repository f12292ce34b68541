// Random clicks and keys on the window over a small store, from a fixed seed: a crash, a failed
// assertion or a sanitizer's report is a failure.
//
//   strata_gui_monkey [STEPS] [SEED]
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <random>

#include "gui/main_window.h"
#include "gui/widgets/look/plurals.h"
#include "gui/widgets/look/theme.h"
#include "gui/widgets/workbench.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

class Monkey {
 public:
  Monkey(gui::MainWindow& window, unsigned seed) : window_(window), random_(seed) {
    QObject::connect(&rescue_, &QTimer::timeout, &rescue_, [this] { leaveMenus(); });
    rescue_.start(std::chrono::milliseconds(100));
  }

  void step() {
    ++steps_;
    leaveDialogs();
    QWidget* target = pick();
    if (target == nullptr) return;
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        QTest::mouseClick(
            target, below(8) == 0 ? Qt::RightButton : Qt::LeftButton, {},
            {below(std::max(1, target->width())), below(std::max(1, target->height()))});
        break;
      case 4:
        QTest::mouseDClick(
            target, Qt::LeftButton, {},
            {below(std::max(1, target->width())), below(std::max(1, target->height()))});
        break;
      case 5:
        window_.showPage(static_cast<gui::Page>(below(13)));
        break;
      default:
        QTest::keyClick(target, anyKey(), below(6) == 0 ? Qt::ControlModifier : Qt::NoModifier);
        break;
    }
    QCoreApplication::processEvents();
  }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  /// Keys that write no name of a program and leave no window.
  Qt::Key anyKey() {
    static constexpr Qt::Key kKeys[] = {
        Qt::Key_Tab,    Qt::Key_Up,     Qt::Key_Down,   Qt::Key_Left,     Qt::Key_Right,
        Qt::Key_Return, Qt::Key_Home,   Qt::Key_Escape, Qt::Key_PageDown, Qt::Key_Space,
        Qt::Key_End,    Qt::Key_Delete, Qt::Key_F5,     Qt::Key_F6,       Qt::Key_5,
        Qt::Key_8,      Qt::Key_D,      Qt::Key_T,      Qt::Key_Z,        Qt::Key_E};
    return kKeys[below(static_cast<int>(std::size(kKeys)))];
  }

  QWidget* pick() {
    QWidget* top = QApplication::activePopupWidget();
    if (top == nullptr) top = QApplication::activeModalWidget();
    if (top == nullptr) top = &window_;
    QList<QWidget*> all{top};
    for (QWidget* widget : top->findChildren<QWidget*>()) {
      if (widget->isVisible() && widget->isEnabled() && widget->window() == top->window())
        all << widget;
    }
    return all[below(static_cast<int>(all.size()))];
  }

  /// What would ask for files of the user, or stays open, is left at once.
  void leaveDialogs() {
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      if (auto* dialog = qobject_cast<QFileDialog*>(widget)) dialog->reject();
    }
    if (below(10) != 0) return;
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      if (widget != &window_ && widget->isVisible()) widget->close();
    }
  }

  /// A button's menu keeps the click until it is closed: that of a step that does not end is.
  void leaveMenus() {
    QWidget* menu = QApplication::activePopupWidget();
    if (menu != nullptr && stepsSeen_ == steps_) menu->close();
    stepsSeen_ = steps_;
  }

  gui::MainWindow& window_;
  std::mt19937 random_;
  int steps_ = 0;
  int stepsSeen_ = 0;
  QTimer rescue_;
};

}  // namespace
}  // namespace strata::test

int main(int argc, char** argv) {
  const QTemporaryDir home;
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
                           "XDG_RUNTIME_DIR", "HOME"}) {
    qputenv(name, home.path().toLocal8Bit());
  }
  QDir::setCurrent(home.path());
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  QApplication app(argc, argv);
  strata::gui::EnglishPlurals words;
  QApplication::installTranslator(&words);
  strata::gui::applyTheme(strata::gui::Theme::Light);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 2000;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const strata::test::StoreSample sample;
  strata::gui::MainWindow window{strata::gui::Preferences{}};
  window.resize(1280, 800);
  window.show();
  window.openStore(sample.folder());
  if (!QTest::qWaitFor([&] { return window.bench().session().snapshot() != nullptr; }, 60'000)) {
    std::fprintf(stderr, "monkey: the store did not open\n");
    return 1;
  }
  strata::test::Monkey monkey(window, seed);
  for (int i = 0; i < steps; ++i) {
    monkey.step();
    window.show();  // it may have closed it
  }
  std::printf("monkey: %d steps from seed %u\n", steps, seed);
  return 0;
}
