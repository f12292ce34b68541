#pragma once

#include <QIcon>
#include <QString>

namespace strata::gui {

/// One of the program's own icons, drawn in the text colour of the application's palette: sharp at
/// any scale, readable in light and dark.
QIcon icon(const QString& name);

}  // namespace strata::gui
