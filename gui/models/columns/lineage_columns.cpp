#include "gui/models/columns/lineage_columns.h"

#include <algorithm>

#include "gui/models/lineage_model.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Sums {
  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;
  std::uint64_t awaitedBytes = 0;
  double ratio() const {
    return storedBytes == 0 ? 0
                            : static_cast<double>(originalBytes) / static_cast<double>(storedBytes);
  }
};

/// Of a name: how many of its versions are not here; empty if none.
QString groupHereText(const LineageNode& node) {
  int versions = 0;
  int awaited = 0;
  for (const auto* list : {&node.children, &node.folded}) {
    for (const auto& child : *list) {
      if (child->row == nullptr) continue;
      ++versions;
      if (!child->row->awaited.isHere()) ++awaited;
    }
  }
  if (awaited == 0) return LineageModel::tr("yes");
  return LineageModel::tr("%1 of %2 not here").arg(awaited).arg(versions);
}

QString fidelityOf(const LineageNode& node) {
  const bool isGroup = node.kind == LineageNode::Kind::Name;
  if (node.isDamaged)
    return isGroup ? LineageModel::tr("DAMAGED in part") : LineageModel::tr("DAMAGED");
  if (isGroup) return {};
  return node.row->version.isBase() ? LineageModel::tr("base") : fidelityText(node.row->version);
}

}  // namespace

QString lineageText(const LineageNode& node, int column) {
  if (node.kind == LineageNode::Kind::More)
    return column == LineageModel::NameColumn ? node.name : QString();
  const VersionEntry& version = node.row->version;
  const bool isGroup = node.kind == LineageNode::Kind::Name;
  switch (column) {
    case LineageModel::NameColumn:
      if (isGroup) {
        return LineageModel::tr("%1  (%n versions)", nullptr,
                                static_cast<int>(node.children.size() + node.folded.size()) -
                                    (node.folded.empty() ? 0 : 1))
            .arg(node.name);
      }
      return node.name;
    case LineageModel::TagsColumn:
      return isGroup ? QString() : tagsText(version.tags);
    case LineageModel::StoredColumn:
      if (!isGroup) return storedText(version, node.row->taken);
      [[fallthrough]];
    case LineageModel::OriginalColumn:
      return bytesText(lineageValue(node, column).toULongLong());
    case LineageModel::RatioColumn:
      if (!isGroup) return storedRatioText(version, node.row->taken);
      return ratioText(lineageValue(node, column).toDouble());
    case LineageModel::ChangeColumn:
      return isGroup || !version.hasChange() ? QString() : changeText(version);
    case LineageModel::FidelityColumn:
      return fidelityOf(node);
    case LineageModel::HereColumn:
      return isGroup ? groupHereText(node) : hereText(node.row->awaited);
    case LineageModel::DateColumn:
      return dateText(version.addedAt);
    case LineageModel::NoteColumn:
      return isGroup ? QString() : text(version.note).simplified();
    default:
      return {};
  }
}

QVariant lineageValue(const LineageNode& node, int column) {
  if (node.kind == LineageNode::Kind::More) return {};
  const VersionEntry& version = node.row->version;
  Sums sums{version.originalBytes, version.storedBytes, node.row->awaited.byteCount};
  if (node.kind == LineageNode::Kind::Name) {
    sums = {};
    for (const auto* list : {&node.children, &node.folded}) {
      for (const auto& child : *list) {
        if (child->row == nullptr) continue;
        sums.originalBytes += child->row->version.originalBytes;
        sums.storedBytes += child->row->version.storedBytes;
        sums.awaitedBytes = std::max(sums.awaitedBytes, child->row->awaited.byteCount);
      }
    }
  }
  switch (column) {
    case LineageModel::OriginalColumn:
      return static_cast<qulonglong>(sums.originalBytes);
    case LineageModel::StoredColumn:
      return static_cast<qulonglong>(sums.storedBytes);
    case LineageModel::RatioColumn:
      return sums.ratio();
    case LineageModel::ChangeColumn:
      return version.relativeChange;
    case LineageModel::HereColumn:
      return static_cast<qulonglong>(sums.awaitedBytes);
    case LineageModel::DateColumn:
      return static_cast<qlonglong>(version.addedAt);
    default:
      return lineageText(node, column);
  }
}

QString lineageToolTip(const LineageNode& node, int column) {
  if (node.kind == LineageNode::Kind::More) return LineageModel::tr("Press Enter to show them");
  const VersionEntry& version = node.row->version;
  switch (column) {
    case LineageModel::NameColumn:
      return node.kind == LineageNode::Kind::Name
                 ? node.name
                 : labelText(version) + u'\n' + text(toHex(version.contentDigest));
    case LineageModel::TagsColumn:
      return joined(version.tags, QStringLiteral(", "));
    case LineageModel::OriginalColumn:
    case LineageModel::StoredColumn:
      return exactBytesText(lineageValue(node, column).toULongLong());
    case LineageModel::FidelityColumn:
      return node.isDamaged ? damagedHint() : QString();
    case LineageModel::HereColumn:
      return node.kind == LineageNode::Kind::Name ? QString() : awaitedHint(node.row->awaited);
    case LineageModel::NoteColumn:
      return text(version.note);
    default:
      return {};
  }
}

QString lineageTitle(int column) {
  switch (column) {
    case LineageModel::NameColumn:
      return LineageModel::tr("Name");
    case LineageModel::TagsColumn:
      return LineageModel::tr("Tags");
    case LineageModel::OriginalColumn:
      return LineageModel::tr("Original");
    case LineageModel::StoredColumn:
      return LineageModel::tr("Stored");
    case LineageModel::RatioColumn:
      return LineageModel::tr("Ratio");
    case LineageModel::ChangeColumn:
      return LineageModel::tr("Change");
    case LineageModel::FidelityColumn:
      return LineageModel::tr("Fidelity");
    case LineageModel::HereColumn:
      return LineageModel::tr("Here");
    case LineageModel::DateColumn:
      return LineageModel::tr("Added");
    case LineageModel::NoteColumn:
      return LineageModel::tr("Note");
    default:
      return {};
  }
}

QString lineageHint(int column) {
  switch (column) {
    case LineageModel::NameColumn:
      return LineageModel::tr("Bases, and the versions tuned from them");
    case LineageModel::TagsColumn:
      return LineageModel::tr("Names for one version, such as prod");
    case LineageModel::OriginalColumn:
      return LineageModel::tr("Bytes of the model's files as given");
    case LineageModel::StoredColumn:
      return LineageModel::tr("Bytes that only this version added to the store");
    case LineageModel::RatioColumn:
      return LineageModel::tr("Original / stored; the base is not counted");
    case LineageModel::ChangeColumn:
      return LineageModel::tr(
          "L2 norm of the difference to the parent, relative to the parent; of floating-point "
          "weights");
    case LineageModel::FidelityColumn:
      return LineageModel::tr("Exact versions come back byte for byte");
    case LineageModel::HereColumn:
      return LineageModel::tr("Whether a version can be restored without fetching packs first");
    case LineageModel::DateColumn:
      return LineageModel::tr("When the version was added");
    default:
      return {};
  }
}

bool isLineageNumber(int column) noexcept {
  return column >= LineageModel::OriginalColumn && column <= LineageModel::ChangeColumn;
}

}  // namespace strata::gui
