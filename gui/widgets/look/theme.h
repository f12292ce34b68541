#pragma once

#include <QString>

class QPalette;

namespace strata::gui {

/// How the window looks. System keeps what the desktop says.
enum class Theme { System, Light, Dark, Contrast };

/// "system", "light", "dark", "contrast".
QString name(Theme theme);
Theme themeFromName(const QString& name);

/// Sets the application's palette; style and icons follow.
void applyTheme(Theme theme);

/// Qt 6.4 does not tell whether the desktop is dark; the palette's lightness does.
bool isDark(const QPalette& palette);

}  // namespace strata::gui
