#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QVariant>
#include <functional>
#include <utility>
#include <vector>

namespace strata::gui {

/// Roles of all models of the window, beside Qt's own.
enum Role {
  SortRole = Qt::UserRole,  ///< the raw number or text behind what is shown
  FilterRole,               ///< all that the filter box looks at, of the whole row
  LabelRole,                ///< "sst2:v2"; empty where the row is no version
  MarkRole,                 ///< true where a row needs attention; its text says why
  ShareRole,                ///< 0 to 1: a bar behind the number
};

/// One column of a RecordTable: how a row's cell is shown and what it sorts by.
template <typename Row>
struct RecordColumn {
  QString title;
  QString hint;          ///< tooltip of the header: what the number means
  bool isNumber = true;  ///< right-aligned
  std::function<QString(const Row&)> text;
  std::function<QVariant(const Row&)> value = {};  ///< nothing: sorts by the text
  std::function<QString(const Row&)> detail = {};  ///< tooltip of the cell
  std::function<double(const Row&)> share = {};    ///< bar behind the number
};

/// A table of plain rows. Holds a snapshot and never touches the store; columns say how rows are
/// shown. Rows are replaced on the UI thread only.
template <typename Row>
class RecordTable final : public QAbstractTableModel {
 public:
  using Columns = std::vector<RecordColumn<Row>>;

  explicit RecordTable(Columns columns, QObject* parent = nullptr)
      : QAbstractTableModel(parent), columns_(std::move(columns)) {}

  /// Text of a whole row for the filter box; without it the first column's text.
  void setFilterText(std::function<QString(const Row&)> filterText) {
    filterText_ = std::move(filterText);
  }
  /// Which rows need attention.
  void setMark(std::function<bool(const Row&)> isMarked) { isMarked_ = std::move(isMarked); }
  /// What LabelRole gives.
  void setLabel(std::function<QString(const Row&)> label) { label_ = std::move(label); }

  void setRows(std::vector<Row> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  void append(Row row) {
    const int place = static_cast<int>(rows_.size());
    beginInsertRows({}, place, place);
    rows_.push_back(std::move(row));
    endInsertRows();
  }
  /// The same number of rows with new contents: keeps selection and place.
  void updateRows(std::vector<Row> rows) {
    if (rows.size() != rows_.size()) return setRows(std::move(rows));
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }
  const std::vector<Row>& rows() const noexcept { return rows_; }
  const Row& row(int number) const { return rows_[static_cast<std::size_t>(number)]; }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto& column = columns_[static_cast<std::size_t>(index.column())];
    const Row& shown = row(index.row());
    switch (role) {
      case Qt::DisplayRole:
        return column.text(shown);
      case Qt::ToolTipRole:
        return column.detail ? QVariant(column.detail(shown)) : QVariant();
      case Qt::TextAlignmentRole:
        return QVariant::fromValue((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) |
                                   Qt::AlignVCenter);
      case SortRole:
        return column.value ? column.value(shown) : QVariant(column.text(shown));
      case FilterRole:
        return filterText_ ? filterText_(shown) : columns_.front().text(shown);
      case LabelRole:
        return label_ ? QVariant(label_(shown)) : QVariant();
      case MarkRole:
        return isMarked_ && isMarked_(shown);
      case ShareRole:
        return column.share ? QVariant(column.share(shown)) : QVariant();
      default:
        return {};
    }
  }

  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const auto& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole && !column.hint.isEmpty()) return column.hint;
    if (role == Qt::TextAlignmentRole) {
      return QVariant::fromValue((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) |
                                 Qt::AlignVCenter);
    }
    return {};
  }

 private:
  Columns columns_;
  std::vector<Row> rows_;
  std::function<QString(const Row&)> filterText_;
  std::function<QString(const Row&)> label_;
  std::function<bool(const Row&)> isMarked_;
};

}  // namespace strata::gui
