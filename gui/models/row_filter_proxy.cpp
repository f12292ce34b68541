#include "gui/models/row_filter_proxy.h"

#include <algorithm>

#include "gui/models/columns/record_table.h"

namespace strata::gui {

QCollator naturalCollator() {
  // The C locale ignores numeric mode.
  QCollator collator(QLocale(QLocale::English, QLocale::UnitedStates));
  collator.setNumericMode(true);
  collator.setCaseSensitivity(Qt::CaseInsensitive);
  return collator;
}

bool hasAllWords(const QString& text, const QStringList& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

RowFilterProxy::RowFilterProxy(QObject* parent)
    : QSortFilterProxyModel(parent), collator_(naturalCollator()) {
  setSortRole(SortRole);
}

void RowFilterProxy::setFilter(const QString& words) {
  QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  if (wanted == words_) return;
  words_ = std::move(wanted);
  invalidateFilter();
}

void RowFilterProxy::setCondition(std::function<bool(int)> accepts) {
  accepts_ = std::move(accepts);
  invalidateFilter();
}

bool RowFilterProxy::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (accepts_ && !accepts_(row)) return false;
  if (words_.isEmpty()) return true;
  const QModelIndex first = sourceModel()->index(row, 0, parent);
  return hasAllWords(first.data(FilterRole).toString(), words_);
}

bool RowFilterProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(SortRole);
  const QVariant b = right.data(SortRole);
  if (a.metaType().id() == QMetaType::QString) {
    return collator_.compare(a.toString(), b.toString()) < 0;
  }
  return QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace strata::gui
