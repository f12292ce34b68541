#include "gui/widgets/look/languages.h"

#include <QApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include "gui/widgets/look/plurals.h"

namespace strata::gui {
namespace {

constexpr const char* kTranslated[] = {"de"};

QString fileOf(const QString& code) { return QStringLiteral(":/i18n/strata_%1.qm").arg(code); }

bool isBuiltIn(const QString& code) {
  return code == QStringLiteral("en") || QFile::exists(fileOf(code));
}

/// Puts a translator above the others until the next call; they belong to the application.
void install(QTranslator* translator) {
  translator->setParent(QCoreApplication::instance());
  translator->setObjectName(QStringLiteral("language"));
  QCoreApplication::installTranslator(translator);
}

}  // namespace

std::vector<Language> languages() {
  std::vector<Language> all{{QStringLiteral("en"), QStringLiteral("English")}};
  for (const char* code : kTranslated) {
    const QLocale locale{QLatin1String(code)};
    if (isBuiltIn(QLatin1String(code))) {
      all.push_back({QLatin1String(code), locale.nativeLanguageName()});
    }
  }
  return all;
}

void applyLanguage(const QString& code) {
  qDeleteAll(QCoreApplication::instance()->findChildren<QTranslator*>(QStringLiteral("language")));
  const QLocale desktop = QLocale::system();
  const QString wanted = code.isEmpty() ? desktop.name().section(u'_', 0, 0) : code;
  const QString spoken = isBuiltIn(wanted) ? wanted : QStringLiteral("en");
  // Dates and numbers go by the country of the desktop where that speaks the language.
  const QLocale locale = desktop.name().section(u'_', 0, 0) == spoken ? desktop : QLocale(spoken);
  QLocale::setDefault(locale);
  QApplication::setLayoutDirection(locale.textDirection());
  install(new EnglishPlurals);
  if (spoken == QStringLiteral("en")) return;
  const std::pair<QString, QString> files[] = {
      {QStringLiteral("qtbase_") + spoken, QLibraryInfo::path(QLibraryInfo::TranslationsPath)},
      {fileOf(spoken), QString()}};
  for (const auto& [file, folder] : files) {
    auto* translator = new QTranslator;
    if (translator->load(file, folder)) {
      install(translator);
    } else {
      delete translator;  // Qt's own may not be installed
    }
  }
}

}  // namespace strata::gui
