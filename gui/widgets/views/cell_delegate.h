#pragma once

#include <QStyledItemDelegate>

namespace strata::gui {

/// Draws cells of all tables: a bar of the row's share behind a number, and bold text with a
/// warning sign in the first column of rows that need attention.
class CellDelegate final : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace strata::gui
