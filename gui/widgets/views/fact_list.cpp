#include "gui/widgets/views/fact_list.h"

#include <QAbstractButton>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>

namespace strata::gui {

FactList::FactList(const QString& name, QWidget* parent) : QScrollArea(parent) {
  setAccessibleName(name);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  clear();
}

void FactList::setFlush() {
  isFlush_ = true;
  clear();
}

void FactList::clear() {
  page_ = new QWidget;
  form_ = new QFormLayout(page_);
  form_->setContentsMargins(isFlush_ ? QMargins(0, 6, 0, 6) : QMargins(16, 12, 16, 12));
  form_->setHorizontalSpacing(isFlush_ ? 12 : 24);
  form_->setVerticalSpacing(7);
  form_->setLabelAlignment(Qt::AlignLeft);
  setWidget(page_);
}

void FactList::addTitle(const QString& title) {
  auto* label = new QLabel(title);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setContentsMargins(0, form_->rowCount() == 0 ? 0 : 10, 0, 0);
  form_->addRow(label);
}

void FactList::add(const QString& name, const QString& value, const QString& hint) {
  if (value.isEmpty()) return;
  QLabel* const label = valueLabel(name, value);
  label->setToolTip(hint);
  form_->addRow(name, label);
}

QLabel* FactList::valueLabel(const QString& name, const QString& value) {
  auto* label = new QLabel(value);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setWordWrap(true);
  label->setAccessibleName(name);
  return label;
}

void FactList::addWithButton(const QString& name, const QString& value, QAbstractButton* button) {
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(valueLabel(name, value.isEmpty() ? QStringLiteral("-") : value), 1);
  line->addWidget(button, 0, Qt::AlignTop);
  form_->addRow(name, line);
}

void FactList::addLine(const QString& name, QLayout* line) {
  name.isEmpty() ? form_->addRow(line) : form_->addRow(name, line);
}

void FactList::addText(const QString& text) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  form_->addRow(label);
}

void FactList::addWidget(QWidget* widget) { form_->addRow(widget); }

}  // namespace strata::gui
