#pragma once

#include <QComboBox>

namespace strata::gui {

/// Says to screen readers what a combo box without a label beside it chooses. On Linux Qt 6.4 gives
/// them its value in the place of its name, so the description has the name, too.
inline void nameChoice(QComboBox& box, const QString& name) {
  box.setAccessibleName(name);
  box.setAccessibleDescription(name);
}

}  // namespace strata::gui
