#pragma once

#include <QString>

#include "core/config/settings.h"

namespace strata::gui {

/// The line of help of a setting, in the window's language; core's own words where there is no
/// translation.
QString settingHelp(const Setting& setting);

/// The lines that translations have. A test holds them against allSettings().
QStringList translatedSettingHelp();

}  // namespace strata::gui
