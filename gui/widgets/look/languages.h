#pragma once

#include <QString>
#include <vector>

namespace strata::gui {

/// A language that the window speaks.
struct Language {
  QString code;  ///< "de"
  QString name;  ///< in itself: "Deutsch"
};

/// English, and those that were built in: all where the build had Qt's linguist tools.
std::vector<Language> languages();

/// Makes the application speak a language: texts, plurals, numbers, direction. Empty: that of the
/// desktop, or English. Windows that are open already keep what they say.
void applyLanguage(const QString& code);

}  // namespace strata::gui
