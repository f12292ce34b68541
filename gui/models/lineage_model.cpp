#include "gui/models/lineage_model.h"

#include <algorithm>
#include <map>

#include "core/text/wording.h"
#include "gui/models/row_filter_proxy.h"
#include "gui/models/wording.h"

namespace strata::gui {

struct LineageModel::Node {
  Kind kind = Kind::Version;
  Node* parent = nullptr;
  int place = 0;  ///< in the parent's children
  const ListRow* row = nullptr;
  QString name;
  std::vector<std::unique_ptr<Node>> children;
  std::vector<std::unique_ptr<Node>> folded;

  Node* add(Kind childKind, const ListRow* version, QString childName) {
    children.push_back(std::make_unique<Node>());
    Node* child = children.back().get();
    child->kind = childKind;
    child->parent = this;
    child->row = version;
    child->name = std::move(childName);
    return child;
  }
};

namespace {

struct Sums {
  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;
  double ratio() const {
    return storedBytes == 0 ? 0
                            : static_cast<double>(originalBytes) / static_cast<double>(storedBytes);
  }
};

}  // namespace

LineageModel::LineageModel(QObject* parent)
    : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}

LineageModel::~LineageModel() = default;

void LineageModel::setSnapshot(SnapshotPtr snapshot) { rebuild(std::move(snapshot)); }

void LineageModel::setFilter(const QString& words) {
  QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  if (wanted == words_) return;
  words_ = std::move(wanted);
  rebuild(snapshot_);
}

void LineageModel::setOnlyTagged(bool onlyTagged) {
  if (onlyTagged == onlyTagged_) return;
  onlyTagged_ = onlyTagged;
  rebuild(snapshot_);
}

bool LineageModel::passes(const ListRow& row) const {
  const VersionEntry& version = row.version;
  if (onlyTagged_ && version.tags.empty()) return false;
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
      if (versions.size() == 1) {
        place.first->add(Kind::Version, versions.front(),
                         name + QStringLiteral(" v%1").arg(versions.front()->version.number));
        continue;
      }
      Node* group = place.first->add(Kind::Name, versions.front(), name);
      for (const ListRow* version : versions) {
        group->add(Kind::Version, version, QStringLiteral("v%1").arg(version->version.number));
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
                     const QVariant x = sortValue(a, sortColumn_);
                     const QVariant y = sortValue(b, sortColumn_);
                     if (x.metaType().id() == QMetaType::QString) {
                       return collator.compare(x.toString(), y.toString()) < 0;
                     }
                     return x.toDouble() < y.toDouble();
                   });
  for (const auto& child : node.children) sortChildren(*child);
}

void LineageModel::fold(Node& node) {
  const auto count = node.children.size();
  // One row more than the limit is shown rather than folded into a row of its own.
  const bool isFolded = node.parent != nullptr && count > kMostSiblings + 1;
  if (isFolded) {
    for (std::size_t i = kMostSiblings; i < count; ++i) {
      node.folded.push_back(std::move(node.children[i]));
    }
    node.children.resize(kMostSiblings);
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

QString LineageModel::display(const Node& node, int column) const {
  if (node.kind == Kind::More) return column == NameColumn ? node.name : QString();
  const VersionEntry& version = node.row->version;
  const bool isGroup = node.kind == Kind::Name;
  switch (column) {
    case NameColumn:
      if (isGroup) {
        return tr("%1  (%n versions)", nullptr,
                  static_cast<int>(node.children.size() + node.folded.size()) -
                      (node.folded.empty() ? 0 : 1))
            .arg(node.name);
      }
      return node.name;
    case TagsColumn:
      return isGroup ? QString() : tagsText(version.tags);
    case OriginalColumn:
      return bytesText(sortValue(node, column).toULongLong());
    case StoredColumn:
      return bytesText(sortValue(node, column).toULongLong());
    case RatioColumn:
      return ratioText(sortValue(node, column).toDouble());
    case ChangeColumn:
      return isGroup || version.isBase() ? QString() : errorText(version.relativeChange);
    case FidelityColumn:
      return isGroup ? QString() : (version.isBase() ? tr("base") : fidelityText(version));
    case DateColumn:
      return dateText(version.addedAt);
    case NoteColumn:
      return isGroup ? QString() : text(version.note).simplified();
    default:
      return {};
  }
}

QVariant LineageModel::sortValue(const Node& node, int column) const {
  if (node.kind == Kind::More) return {};
  const VersionEntry& version = node.row->version;
  Sums sums{version.originalBytes, version.storedBytes};
  if (node.kind == Kind::Name) {
    sums = {};
    for (const auto* list : {&node.children, &node.folded}) {
      for (const auto& child : *list) {
        if (child->row == nullptr) continue;
        sums.originalBytes += child->row->version.originalBytes;
        sums.storedBytes += child->row->version.storedBytes;
      }
    }
  }
  switch (column) {
    case OriginalColumn:
      return static_cast<qulonglong>(sums.originalBytes);
    case StoredColumn:
      return static_cast<qulonglong>(sums.storedBytes);
    case RatioColumn:
      return sums.ratio();
    case ChangeColumn:
      return version.relativeChange;
    case DateColumn:
      return static_cast<qlonglong>(version.addedAt);
    default:
      return display(node, column);
  }
}

QString LineageModel::toolTip(const Node& node, int column) const {
  if (node.kind == Kind::More) return tr("Press Enter to show them");
  const VersionEntry& version = node.row->version;
  switch (column) {
    case NameColumn:
      return node.kind == Kind::Name
                 ? node.name
                 : labelText(version) + u'\n' + text(toHex(version.contentDigest));
    case TagsColumn:
      return joined(version.tags, QStringLiteral(", "));
    case OriginalColumn:
    case StoredColumn:
      return exactBytesText(sortValue(node, column).toULongLong());
    case NoteColumn:
      return text(version.note);
    default:
      return {};
  }
}

QVariant LineageModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Node& shown = *node(index);
  const int column = index.column();
  const bool isNumber = column >= OriginalColumn && column <= ChangeColumn;
  switch (role) {
    case Qt::DisplayRole:
      return display(shown, column);
    case Qt::ToolTipRole:
      return toolTip(shown, column);
    case Qt::TextAlignmentRole:
      return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole:
      return sortValue(shown, column);
    case LabelRole:
      return shown.row == nullptr ? QString() : labelText(shown.row->version);
    default:
      return {};
  }
}

QVariant LineageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const bool isNumber = section >= OriginalColumn && section <= ChangeColumn;
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool isTitle = role == Qt::DisplayRole;
  switch (section) {
    case NameColumn:
      return isTitle ? tr("Name") : tr("Bases, and the versions tuned from them");
    case TagsColumn:
      return isTitle ? tr("Tags") : tr("Names for one version, such as prod");
    case OriginalColumn:
      return isTitle ? tr("Original") : tr("Bytes of the model's files as given");
    case StoredColumn:
      return isTitle ? tr("Stored") : tr("Bytes that only this version added to the store");
    case RatioColumn:
      return isTitle ? tr("Ratio") : tr("Original / stored; the base is not counted");
    case ChangeColumn:
      return isTitle ? tr("Change")
                     : tr("L2 norm of the difference to the parent, relative to the parent");
    case FidelityColumn:
      return isTitle ? tr("Fidelity") : tr("Exact versions come back byte for byte");
    case DateColumn:
      return isTitle ? tr("Added") : tr("When the version was added");
    case NoteColumn:
      return isTitle ? tr("Note") : QVariant();
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
