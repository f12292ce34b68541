#include "gui/widgets/views/filter_edit.h"

#include <QAbstractItemView>
#include <QAction>
#include <QKeyEvent>

#include "gui/widgets/look/icons.h"

namespace strata::gui {

FilterEdit::FilterEdit(const QString& placeholder, QWidget* parent) : QLineEdit(parent) {
  setPlaceholderText(placeholder);
  setAccessibleName(tr("Filter"));
  setAccessibleDescription(placeholder);
  setClearButtonEnabled(true);
  addAction(icon(QStringLiteral("search")), LeadingPosition);
  connect(this, &QLineEdit::textChanged, this, &FilterEdit::filterChanged);
}

void FilterEdit::serve(QAbstractItemView* view) {
  connect(this, &FilterEdit::left, view, qOverload<>(&QWidget::setFocus));
  view->installEventFilter(this);
}

bool FilterEdit::eventFilter(QObject* watched, QEvent* event) {
  const bool isEscape =
      event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
  if (!isEscape || text().isEmpty()) return QLineEdit::eventFilter(watched, event);
  clear();
  return true;
}

void FilterEdit::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !text().isEmpty()) return clear();
  const bool leaves = event->key() == Qt::Key_Down || event->key() == Qt::Key_Return ||
                      event->key() == Qt::Key_Enter || event->key() == Qt::Key_Escape;
  if (leaves) {
    emit left();
    return;
  }
  QLineEdit::keyPressEvent(event);
}

}  // namespace strata::gui
