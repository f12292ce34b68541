#include "gui/models/push_choice.h"

#include <algorithm>

#include "gui/models/columns/record_table.h"
#include "gui/models/wording.h"

namespace strata::gui {

void PushChoice::setItems(std::vector<PushReport::Item> items) {
  beginResetModel();
  rows_.clear();
  for (PushReport::Item& item : items) rows_.push_back({std::move(item)});
  endResetModel();
  emit choiceChanged();
}

QStringList PushChoice::chosen() const {
  QStringList labels;
  for (const Row& row : rows_) {
    if (row.isChosen) labels << labelText(row.item.version);
  }
  return labels;
}

bool PushChoice::isWhole() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.isChosen; });
}

std::uint64_t PushChoice::chosenBytes() const {
  std::uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.isChosen ? row.item.sentBytes : 0;
  return sum;
}

int PushChoice::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PushChoice::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant PushChoice::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const VersionEntry& version = row.item.version;
  if (role == Qt::CheckStateRole && index.column() == VersionColumn) {
    return row.isChosen ? Qt::Checked : Qt::Unchecked;
  }
  if (role == Qt::TextAlignmentRole) {
    const bool isNumber = index.column() == SendsColumn || index.column() == OriginalColumn;
    return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == LabelRole) return labelText(version);
  const bool isText = role == Qt::DisplayRole || role == FilterRole;
  switch (index.column()) {
    case VersionColumn:
      if (isText || role == SortRole) return labelText(version);
      break;
    case SendsColumn:
      if (isText) return bytesText(row.item.sentBytes);
      if (role == SortRole) return static_cast<qulonglong>(row.item.sentBytes);
      if (role == Qt::ToolTipRole) return exactBytesText(row.item.sentBytes);
      break;
    case OriginalColumn:
      if (isText) return bytesText(version.originalBytes);
      if (role == SortRole) return static_cast<qulonglong>(version.originalBytes);
      if (role == Qt::ToolTipRole) return exactBytesText(version.originalBytes);
      break;
    case TagsColumn:
      if (isText || role == SortRole) return joined(version.tags, QStringLiteral(", "));
      break;
    case NoteColumn:
      if (isText || role == SortRole) return text(version.note).simplified();
      break;
    default:
      break;
  }
  return {};
}

bool PushChoice::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid))
    return false;
  Row& row = rows_[static_cast<std::size_t>(index.row())];
  value.toInt() == Qt::Checked ? choose(row) : leave(row);
  emit dataChanged(this->index(0, VersionColumn), this->index(rowCount() - 1, VersionColumn),
                   {Qt::CheckStateRole});
  emit choiceChanged();
  return true;
}

void PushChoice::choose(Row& row) {
  row.isChosen = true;
  for (Row& other : rows_) {
    const bool isParent = row.item.version.parentDigest == other.item.version.contentDigest;
    if (isParent && !other.isChosen) choose(other);
  }
}

void PushChoice::leave(Row& row) {
  row.isChosen = false;
  for (Row& other : rows_) {
    const bool isChild = other.item.version.parentDigest == row.item.version.contentDigest;
    if (isChild && other.isChosen) leave(other);
  }
}

Qt::ItemFlags PushChoice::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return index.column() == VersionColumn ? usual | Qt::ItemIsUserCheckable : usual;
}

QVariant PushChoice::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool isNumber = section == SendsColumn || section == OriginalColumn;
    return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole && section == SendsColumn) {
    return tr("Bytes that the remote lacks and this version brings along");
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case VersionColumn:
      return tr("Version");
    case SendsColumn:
      return tr("Sends");
    case OriginalColumn:
      return tr("Original");
    case TagsColumn:
      return tr("Tags");
    case NoteColumn:
      return tr("Note");
    default:
      return {};
  }
}

}  // namespace strata::gui
