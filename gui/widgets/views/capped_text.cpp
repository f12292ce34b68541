#include "gui/widgets/views/capped_text.h"

#include <QLabel>
#include <algorithm>

namespace strata::gui {

CappedText::CappedText(const QString& name, QWidget* parent)
    : QScrollArea(parent), label_(new QLabel) {
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  label_->setAccessibleName(name);
  setAccessibleName(name);
  setFrameShape(NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setWidget(label_);
  // What it lies on shows through.
  label_->setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
  fit();
}

void CappedText::setText(const QString& text, Qt::TextFormat format) {
  label_->setTextFormat(format);
  label_->setText(text);
  fit();
}

QString CappedText::text() const { return label_->text(); }

void CappedText::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  fit();
}

void CappedText::fit() {
  const int needs = std::max(0, label_->heightForWidth(viewport()->width()));
  const int most = kMostLines * fontMetrics().lineSpacing();
  // Keys scroll it where there is something to scroll.
  setFocusPolicy(needs > most ? Qt::StrongFocus : Qt::NoFocus);
  setFixedHeight(std::min(needs, most));
}

}  // namespace strata::gui
