#pragma once

#include <QHBoxLayout>
#include <initializer_list>

class QWidget;

namespace strata::gui {

/// Widgets side by side with the usual gap; one that is expanding takes the room that is left.
inline QHBoxLayout* lineOf(std::initializer_list<QWidget*> widgets) {
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  for (QWidget* widget : widgets) line->addWidget(widget);
  return line;
}

}  // namespace strata::gui
