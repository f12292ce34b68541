#pragma once

#include <QCollator>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <functional>

namespace strata::gui {

/// Sorts by SortRole, texts as people count ("layer.9" before "layer.10"), and shows rows whose
/// FilterRole has every word of the filter.
class RowFilterProxy final : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit RowFilterProxy(QObject* parent = nullptr);

  /// Words in any order, case does not matter; empty shows all.
  void setFilter(const QString& words);
  /// A further condition on the source's row number; empty for none.
  void setCondition(std::function<bool(int)> accepts);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  std::function<bool(int)> accepts_;
  QCollator collator_;
};

/// Whether `text` has each of `words`, whatever their case.
bool hasAllWords(const QString& text, const QStringList& words);

/// A collator that counts, in any locale of the program.
QCollator naturalCollator();

}  // namespace strata::gui
