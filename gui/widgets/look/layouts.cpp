#include "gui/widgets/look/layouts.h"

#include <QFormLayout>
#include <QLabel>

namespace strata::gui {

void makeTitle(QLabel& label) {
  QFont large = label.font();
  large.setPointSizeF(large.pointSizeF() * 1.35);
  large.setBold(true);
  label.setFont(large);
}

QFormLayout* makePageForm() {
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(18);
  form->setVerticalSpacing(10);
  form->setLabelAlignment(Qt::AlignLeft);
  return form;
}

void keepRoom(QWidget& widget) {
  QSizePolicy policy = widget.sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  widget.setSizePolicy(policy);
}

QHBoxLayout* inTheMiddle(QWidget* column, int width) {
  column->setMaximumWidth(width);
  auto* middle = new QHBoxLayout;
  middle->setContentsMargins(12, 6, 12, 6);
  middle->addStretch(0);
  middle->addWidget(column, 100);
  middle->addStretch(0);
  return middle;
}

}  // namespace strata::gui
