#include <gtest/gtest.h>

#include <QTemporaryDir>
#ifdef STRATA_TEST_WIDGETS
#include <QApplication>

#include "gui/widgets/look/plurals.h"
#include "gui/widgets/look/theme.h"
#else
#include <QCoreApplication>
#endif

int main(int argc, char** argv) {
  // The tests' own settings, stores and profiles, never the user's.
  const QTemporaryDir home;
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
                           "XDG_RUNTIME_DIR", "HOME"}) {
    qputenv(name, home.path().toLocal8Bit());
  }
  ::testing::InitGoogleTest(&argc, argv);
#ifdef STRATA_TEST_WIDGETS
  const QApplication app(argc, argv);
  strata::gui::EnglishPlurals words;
  QApplication::installTranslator(&words);
  strata::gui::applyTheme(strata::gui::Theme::Light);
#else
  const QCoreApplication app(argc, argv);
#endif
  return RUN_ALL_TESTS();
}
