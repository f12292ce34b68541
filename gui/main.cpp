#include <QApplication>
#include <QCommandLineParser>

#include "gui/jobs/preferences.h"
#include "gui/main_window.h"
#include "gui/widgets/plurals.h"
#include "gui/widgets/theme.h"

int main(int argc, char** argv) {
  using namespace strata::gui;
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("strata-gui"));
  QApplication::setApplicationDisplayName(QStringLiteral("Strata"));
  QApplication::setApplicationVersion(QStringLiteral(STRATA_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("io.github.strata.Strata"));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Stores fine-tuned models as small differences to their base."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption store({QStringLiteral("C"), QStringLiteral("store")},
                                 QStringLiteral("The store to open."), QStringLiteral("DIR"));
  parser.addOption(store);
  parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("Models to add."),
                               QStringLiteral("[MODEL...]"));
  parser.process(app);

  const Preferences preferences = Preferences::load();
  EnglishPlurals words;
  QApplication::installTranslator(&words);
  applyTheme(themeFromName(preferences.theme));

  QString folder = parser.value(store);
  if (folder.isEmpty()) folder = qEnvironmentVariable("STRATA_STORE");
  if (folder.isEmpty()) folder = preferences.store;
  MainWindow window(preferences);
  window.show();
  window.openStore(folder, parser.positionalArguments());
  return QApplication::exec();
}
