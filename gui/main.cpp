#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/io/file_limit.h"
#include "core/store/store_location.h"
#include "gui/jobs/preferences.h"
#include "gui/main_window.h"
#include "gui/widgets/look/languages.h"
#include "gui/widgets/look/theme.h"
#include "hub/credentials/credentials.h"

namespace {

constexpr int kReopen = 100;  // of the event loop: with other settings

/// What the window is asked for: the same with a display and without.
struct CommandLine {
  CommandLine() {
    parser.setApplicationDescription(
        QStringLiteral("Stores fine-tuned models as small differences to their base."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOption(store);
    parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("Models to add."),
                                 QStringLiteral("[MODEL...]"));
  }
  QCommandLineParser parser;
  const QCommandLineOption store{{QStringLiteral("C"), QStringLiteral("store")},
                                 QStringLiteral("The store to open."),
                                 QStringLiteral("DIR")};
};

/// Whether words are asked for: those need no display.
bool asksForWords(int argc, char** argv) {
  const char* const kAsking[] = {"-h", "--help", "--help-all", "-v", "--version"};
  return std::any_of(argv + 1, argv + argc, [&](std::string_view word) {
    return std::find(std::begin(kAsking), std::end(kAsking), word) != std::end(kAsking);
  });
}

/// Qt ends a program without one by abort(), with words about its own plugins.
bool hasDisplay(int argc, char** argv) {
  for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
    if (!qEnvironmentVariableIsEmpty(variable)) return true;
  }
  return std::any_of(argv + 1, argv + argc,
                     [](std::string_view word) { return word.starts_with("-platform"); });
}

/// The store of the command line, of STRATA_STORE or of the folder that the window is started in,
/// as `strata` finds it. Empty: the last one. A desktop starts windows in the home folder, so what
/// lies there was not asked for.
QString storeAskedFor(const QString& option) {
  using strata::StoreLocation;
  std::error_code status;
  const std::filesystem::path here = std::filesystem::current_path(status);
  std::optional<std::filesystem::path> given;
  if (!option.isEmpty()) given = option.toStdString();
  const auto found = strata::findStore(given, here);
  if (!found || found->origin == StoreLocation::Origin::Default) return {};
  const bool isByFolder = found->origin == StoreLocation::Origin::WorkingFolder;
  if (isByFolder && here == std::filesystem::path(QDir::homePath().toStdString())) return {};
  return QString::fromStdString(found->folder.string());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace strata::gui;
  strata::hub::guardEnvironmentSecrets();
  strata::allowManyFiles();
  QCoreApplication::setApplicationName(QStringLiteral("strata-gui"));
  QCoreApplication::setApplicationVersion(QStringLiteral(STRATA_VERSION));
  CommandLine line;
  if (asksForWords(argc, argv)) {
    const QCoreApplication words(argc, argv);
    line.parser.process(words);
  }
  if (!hasDisplay(argc, argv)) {
    std::fputs("strata-gui: no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n", stderr);
    return EXIT_FAILURE;
  }
  const QApplication app(argc, argv);
  QApplication::setApplicationDisplayName(QStringLiteral("Strata"));
  QApplication::setDesktopFileName(QStringLiteral("io.github.strata.Strata"));
  line.parser.process(app);

  const QString folder = storeAskedFor(line.parser.value(line.store));
  QStringList models = line.parser.positionalArguments();
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
