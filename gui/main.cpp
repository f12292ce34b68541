#include <QApplication>
#include <QCommandLineParser>

#include "gui/jobs/preferences.h"
#include "gui/main_window.h"
#include "gui/widgets/languages.h"
#include "gui/widgets/theme.h"
#include "hub/credentials/credentials.h"

namespace {

constexpr int kReopen = 100;  // of the event loop: with other settings

}  // namespace

int main(int argc, char** argv) {
  using namespace strata::gui;
  strata::hub::guardEnvironmentSecrets();
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

  QString folder = parser.value(store);
  if (folder.isEmpty()) folder = qEnvironmentVariable("STRATA_STORE");
  QStringList models = parser.positionalArguments();
  for (;;) {
    const Preferences preferences = Preferences::load();
    applyLanguage(preferences.language);
    applyTheme(themeFromName(preferences.theme));
    MainWindow window(preferences);
    QObject::connect(&window, &MainWindow::reopenRequested, [] { QApplication::exit(kReopen); });
    window.show();
    window.openStore(folder.isEmpty() ? preferences.store : folder, models);
    const int code = QApplication::exec();
    if (code != kReopen) return code;
    models.clear();  // they were added, or are to be dropped again
  }
}
