#pragma once

#include <QAbstractItemView>
#include <QItemSelectionModel>

namespace strata::gui {

/// Selects what was selected before the rows of `view` came anew. Nobody moved, so the view does
/// not scroll to the current row.
inline void selectAgain(QAbstractItemView& view, const QModelIndex& current,
                        const QItemSelection& chosen) {
  view.setAutoScroll(false);
  if (current.isValid()) {
    view.selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
  }
  view.selectionModel()->select(chosen,
                                QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  view.setAutoScroll(true);
}

}  // namespace strata::gui
