#pragma once

#include <QAbstractItemView>
#include <QItemSelection>
#include <QSet>
#include <QString>
#include <functional>
#include <vector>

namespace strata::gui {

/// Keeps what is selected and in sight of a list that is read anew unasked. Rows are known by keys,
/// so that rows which come or go elsewhere move nothing.
///
/// Use: remember() before the rows come anew; meet() for each new row; then selectAgain(), and
/// holdPlace() where the people at the window did not ask for the change.
class SteadyRows {
 public:
  using KeyOf = std::function<QString(const QModelIndex&)>;

  SteadyRows(QAbstractItemView& view, KeyOf keyOf);

  void remember();
  /// Keys of the rows that remember() found selected, current or in sight.
  QSet<QString> keys() const;
  bool wasInSight(const QString& key) const;

  void meet(const QModelIndex& row);
  /// Nobody moved, so the view does not scroll to the current row.
  void selectAgain();
  /// The current row, where it was met and rows are selected; else none.
  QModelIndex chosen() const;
  /// The first row that was in sight, and still is listed, goes back to where it was. The view has
  /// laid out its rows.
  void holdPlace();

 private:
  struct Place {
    QString key;
    int top = 0;           ///< pixels from the upper edge
    QModelIndex now = {};  ///< the new row, once it was met
  };

  QAbstractItemView& view_;
  KeyOf keyOf_;
  QSet<QString> selected_;
  QString current_;
  std::vector<Place> inSight_;
  int scrolled_ = 0;  ///< to the right
  QItemSelection metSelected_;
  QModelIndex metCurrent_;
};

}  // namespace strata::gui
