#include "gui/models/lineage_model.h"

#include <algorithm>
#include <map>

#include "gui/models/columns/lineage_columns.h"
#include "gui/models/row_filter_proxy.h"
#include "gui/models/wording.h"

namespace strata::gui {

LineageModel::LineageModel(QObject* parent)
    : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}

LineageModel::~LineageModel() = default;

void LineageModel::setSnapshot(SnapshotPtr snapshot) {
  isRefreshing_ = true;
  rebuild(std::move(snapshot));
  isRefreshing_ = false;
}

void LineageModel::setFilter(const QString& words) {
  QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  if (wanted == words_) return;
  words_ = std::move(wanted);
  rebuild(snapshot_);
}

void LineageModel::setShown(Shown shown) {
  if (shown == shown_) return;
  shown_ = shown;
  rebuild(snapshot_);
}

bool LineageModel::passes(const ListRow& row) const {
  const VersionEntry& version = row.version;
  if (shown_ == Shown::Tagged && version.tags.empty()) return false;
  if (shown_ == Shown::Unchecked && !snapshot_->isUnchecked(version)) return false;
  if (words_.isEmpty()) return true;
  const QString all = text(version.label()) + u' ' + joined(version.tags, QStringLiteral(" ")) +
                      u' ' + text(toHex(version.contentDigest)) + u' ' + text(version.note) + u' ' +
                      text(row.baseLabel);
  return hasAllWords(all, words_);
}

void LineageModel::rebuild(SnapshotPtr snapshot) {
  beginResetModel();  // views look at the old rows once more
  snapshot_ = std::move(snapshot);
  root_ = std::make_unique<Node>();
  shownVersions_ = 0;
  if (!snapshot_) unfolded_.clear();
  if (snapshot_) {
    std::map<std::string, Node*> bases;
    std::map<std::pair<Node*, std::string>, std::vector<const ListRow*>> names;
    // Bases first: those that pass, and those under which something passes.
    std::map<std::string, const ListRow*> known;
    for (const ListRow& row : snapshot_->rows) {
      if (row.version.isBase()) known.emplace(row.version.label(), &row);
    }
    const auto baseNode = [&](const ListRow& base) {
      Node*& place = bases[base.version.label()];
      if (place == nullptr) {
        const bool isOnly = base.versionCount == 1;
        place = root_->add(Kind::Base, &base,
                           isOnly ? text(base.version.name) : labelText(base.version));
        place->isDamaged = snapshot_->damagedAt(base.version) != 0;
      }
      return place;
    };
    for (const ListRow& row : snapshot_->rows) {
      if (!passes(row)) continue;
      ++shownVersions_;
      if (row.version.isBase()) {
        baseNode(row);
        continue;
      }
      const auto base = known.find(row.baseLabel);
      Node* under = base == known.end() ? root_.get() : baseNode(*base->second);
      names[{under, row.version.name}].push_back(&row);
    }
    for (auto& [place, versions] : names) {
      std::sort(versions.begin(), versions.end(), [](const ListRow* a, const ListRow* b) {
        return a->version.number > b->version.number;
      });
      const QString name = text(place.second);
      const auto add = [this](Node* parent, const ListRow* version, const QString& shown) {
        Node* const node = parent->add(Kind::Version, version, shown);
        node->isDamaged = snapshot_->damagedAt(version->version) != 0;
        return node->isDamaged;
      };
      if (versions.size() == 1) {
        add(place.first, versions.front(),
            name + QStringLiteral(" v%1").arg(versions.front()->version.number));
        continue;
      }
      Node* group = place.first->add(Kind::Name, versions.front(), name);
      for (const ListRow* version : versions) {
        const QString shown = QStringLiteral("v%1").arg(version->version.number);
        group->isDamaged = add(group, version, shown) || group->isDamaged;
      }
    }
    sortChildren(*root_);
    fold(*root_);
  }
  endResetModel();
}

void LineageModel::sortChildren(Node& node) {
  const QCollator collator = naturalCollator();
  std::stable_sort(node.children.begin(), node.children.end(),
                   [&](const auto& left, const auto& right) {
                     const Node& a = sortOrder_ == Qt::AscendingOrder ? *left : *right;
                     const Node& b = sortOrder_ == Qt::AscendingOrder ? *right : *left;
                     if (sortColumn_ == NameColumn) {
                       // Versions of one name stand newest first where names ascend.
                       if (node.kind == Kind::Name)
                         return a.row->version.number > b.row->version.number;
                       return collator.compare(a.name, b.name) < 0;
                     }
                     const QVariant x = lineageValue(a, sortColumn_);
                     const QVariant y = lineageValue(b, sortColumn_);
                     if (x.metaType().id() == QMetaType::QString) {
                       return collator.compare(x.toString(), y.toString()) < 0;
                     }
                     return x.toDouble() < y.toDouble();
                   });
  for (const auto& child : node.children) sortChildren(*child);
}

bool LineageModel::isInSight(const Node& node) const {
  return inSight_.contains(keyOf(node)) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [this](const auto& child) { return isInSight(*child); });
}

std::size_t LineageModel::unfoldedCount(const Node& node) const {
  const std::size_t count = node.children.size();
  // One row more than the limit is shown rather than folded into a row of its own.
  const auto isAll = [count](std::size_t shown) { return count <= shown + 1; };
  std::size_t shown = kMostSiblings;
  if (node.parent == nullptr || isAll(shown) || unfolded_.contains(keyOf(node))) return count;
  for (std::size_t i = count; isRefreshing_ && i > shown; --i) {
    if (isInSight(*node.children[i - 1])) shown = i;
  }
  return isAll(shown) ? count : shown;
}

void LineageModel::fold(Node& node) {
  const std::size_t count = node.children.size();
  const std::size_t shown = unfoldedCount(node);
  if (shown < count) {
    for (std::size_t i = shown; i < count; ++i) node.folded.push_back(std::move(node.children[i]));
    node.children.resize(shown);
    node.add(Kind::More, nullptr,
             tr("... and %n more", nullptr, static_cast<int>(node.folded.size())));
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    node.children[i]->place = static_cast<int>(i);
    fold(*node.children[i]);
  }
  for (const auto& child : node.folded) fold(*child);
}

void LineageModel::unfold(const QModelIndex& more) {
  const Node* last = node(more);
  if (last == nullptr || last->kind != Kind::More) return;
  Node* group = last->parent;
  unfolded_ << keyOf(*group);
  const QModelIndex place = more.parent();
  const int from = last->place;
  beginRemoveRows(place, from, from);
  group->children.pop_back();
  endRemoveRows();
  beginInsertRows(place, from, from + static_cast<int>(group->folded.size()) - 1);
  for (auto& child : group->folded) {
    child->place = static_cast<int>(group->children.size());
    group->children.push_back(std::move(child));
  }
  group->folded.clear();
  endInsertRows();
}

const LineageModel::Node* LineageModel::node(const QModelIndex& index) const {
  return index.isValid() ? static_cast<const Node*>(index.internalPointer()) : root_.get();
}

const ListRow* LineageModel::version(const QModelIndex& index) const {
  return index.isValid() ? node(index)->row : nullptr;
}

LineageModel::Kind LineageModel::kind(const QModelIndex& index) const { return node(index)->kind; }

std::vector<const ListRow*> LineageModel::versions(const QModelIndex& index) const {
  const Node* shown = node(index);
  std::vector<const ListRow*> rows;
  if (shown->kind != Kind::Name) {
    if (shown->row != nullptr) rows.push_back(shown->row);
    return rows;
  }
  for (const auto* list : {&shown->children, &shown->folded}) {
    for (const auto& child : *list) {
      if (child->row != nullptr) rows.push_back(child->row);
    }
  }
  return rows;
}

bool LineageModel::holds(const Node& node, const QString& label) {
  if (node.kind != Kind::Name && node.row != nullptr && labelText(node.row->version) == label) {
    return true;
  }
  const auto inside = [&](const auto& child) { return holds(*child, label); };
  return std::any_of(node.children.begin(), node.children.end(), inside) ||
         std::any_of(node.folded.begin(), node.folded.end(), inside);
}

QString LineageModel::keyOf(const Node& node) {
  const Node* const above = node.parent;
  const QString parent =
      above == nullptr || above->row == nullptr ? QString() : labelText(above->row->version);
  const QString kind = QString::number(static_cast<int>(node.kind));
  switch (node.kind) {
    case Kind::Base:
    case Kind::Version:
      return kind + labelText(node.row->version);
    case Kind::Name:  // whichever version is its newest
      return kind + node.name + u' ' + parent;
    case Kind::More:
      return kind + keyOf(*above);
  }
  return {};
}

QString LineageModel::key(const QModelIndex& index) const {
  return index.isValid() ? keyOf(*node(index)) : QString();
}

QModelIndex LineageModel::find(const QString& label) {
  QModelIndex place;
  const Node* group = root_.get();
  while (holds(*group, label)) {
    const bool isFolded = std::any_of(group->folded.begin(), group->folded.end(),
                                      [&](const auto& child) { return holds(*child, label); });
    if (isFolded) unfold(index(rowCount(place) - 1, 0, place));
    const auto child = std::find_if(group->children.begin(), group->children.end(),
                                    [&](const auto& one) { return holds(*one, label); });
    if (child == group->children.end()) return place;  // it is the group itself
    group = child->get();
    place = index(group->place, 0, place);
  }
  return place;
}

QModelIndex LineageModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, node(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex LineageModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  Node* above = node(index)->parent;
  if (above == nullptr || above == root_.get()) return {};
  return createIndex(above->place, 0, above);
}

int LineageModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  return static_cast<int>(node(parent)->children.size());
}

int LineageModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant LineageModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Node& shown = *node(index);
  const int column = index.column();
  const bool isNumber = isLineageNumber(column);
  switch (role) {
    case Qt::DisplayRole:
      return lineageText(shown, column);
    case Qt::ToolTipRole:
      return lineageToolTip(shown, column);
    case Qt::TextAlignmentRole:
      return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole:
      return lineageValue(shown, column);
    case MarkRole:
      return shown.isDamaged;
    case LabelRole:
      return shown.row == nullptr ? QString() : labelText(shown.row->version);
    default:
      return {};
  }
}

QVariant LineageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  switch (role) {
    case Qt::TextAlignmentRole:
      return QVariant::fromValue((isLineageNumber(section) ? Qt::AlignRight : Qt::AlignLeft) |
                                 Qt::AlignVCenter);
    case Qt::DisplayRole:
      return lineageTitle(section);
    case Qt::ToolTipRole:
      return lineageHint(section);
    default:
      return {};
  }
}

void LineageModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= ColumnCount) return;
  if (column == sortColumn_ && order == sortOrder_) return;
  sortColumn_ = column;
  sortOrder_ = order;
  rebuild(snapshot_);
}

}  // namespace strata::gui
