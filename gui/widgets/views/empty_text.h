#pragma once

#include <QString>

class QAbstractScrollArea;

namespace strata::gui {

/// Draws a text in the middle of an empty list.
void drawEmptyText(QAbstractScrollArea& view, const QString& text);

}  // namespace strata::gui
