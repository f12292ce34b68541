#pragma once

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <initializer_list>

class QFormLayout;
class QLabel;
class QWidget;

namespace strata::gui {

/// Widgets side by side with the usual gap; one that is expanding takes the room that is left.
inline QHBoxLayout* lineOf(std::initializer_list<QWidget*> widgets) {
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  for (QWidget* widget : widgets) line->addWidget(widget);
  return line;
}

/// Makes a label the title of a page: large and bold.
void makeTitle(QLabel& label);
/// A form of a page that fills one column: names to the left, room between the rows.
QFormLayout* makePageForm();
/// Lets a widget that comes and goes keep its room while it is hidden: nothing moves by it.
void keepRoom(QWidget& widget);
/// A column of at most `width` pixels in the middle of what it is given.
QHBoxLayout* inTheMiddle(QWidget* column, int width);

}  // namespace strata::gui
