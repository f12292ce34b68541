#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace strata::gui {

/// Asks before something is gone for good: what by name and bytes, and what goes. The way out is
/// the default; `act` runs where the button with `button` on it is pressed. Does not block.
void confirmLoss(QWidget* parent, const QString& title, const QString& what, const QString& details,
                 const QString& button, std::function<void()> act);

}  // namespace strata::gui
