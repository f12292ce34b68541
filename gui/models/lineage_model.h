#pragma once

#include <QAbstractItemModel>
#include <QSet>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/columns/record_table.h"
#include "gui/models/lineage_node.h"
#include "gui/models/store_snapshot.h"

namespace strata::gui {

/// The library as a tree: bases, the names tuned from them, their versions, newest first.
///
/// A name with one version is one row. More than kMostSiblings rows under one parent fold into a
/// last row "... and 31 more". Holds a snapshot; filters and sorts by building the tree anew, which
/// takes some 10 ms for 10,000 versions, because folding comes after both. UI thread only.
class LineageModel final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column {
    NameColumn,
    TagsColumn,
    OriginalColumn,
    StoredColumn,
    RatioColumn,
    ChangeColumn,
    FidelityColumn,
    HereColumn,
    DateColumn,
    NoteColumn,
    ColumnCount
  };
  using Kind = LineageNode::Kind;
  static constexpr int kMostSiblings = 20;

  explicit LineageModel(QObject* parent = nullptr);
  ~LineageModel() override;

  void setSnapshot(SnapshotPtr snapshot);
  /// For views, while the old rows are there for the last time: rows that do not fold away by the
  /// next snapshot. Keys of rows.
  void keepInSight(const QSet<QString>& keys) { inSight_ = keys; }
  /// True while the tree is built anew for another snapshot: the people at the window did not ask
  /// for it.
  bool isRefreshing() const noexcept { return isRefreshing_; }
  /// Words that name, tags, hash, note or base must have.
  void setFilter(const QString& words);
  enum class Shown { All, Tagged, Unchecked };
  /// All versions, those with tags, or those that were not checked lately.
  void setShown(Shown shown);
  Shown shown() const noexcept { return shown_; }

  /// The version of a row: of a name the newest; null for a folded rest.
  const ListRow* version(const QModelIndex& index) const;
  Kind kind(const QModelIndex& index) const;
  /// Versions under a row that stands for several; the row's own otherwise.
  std::vector<const ListRow*> versions(const QModelIndex& index) const;
  /// What a row stands for, as a text that stays the same whatever else is listed.
  QString key(const QModelIndex& index) const;
  /// The row of "sst2:v2", unfolded if need be; invalid if it is not shown.
  QModelIndex find(const QString& label);
  /// Shows the rows behind "... and 31 more", from then on.
  void unfold(const QModelIndex& more);
  /// Versions that pass the filter.
  int shownVersions() const noexcept { return shownVersions_; }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  using Node = LineageNode;

  const Node* node(const QModelIndex& index) const;
  void rebuild(SnapshotPtr snapshot);
  static bool holds(const Node& node, const QString& label);
  bool passes(const ListRow& row) const;
  void sortChildren(Node& node);
  void fold(Node& node);
  /// How many children of a node stand before a folded rest.
  std::size_t unfoldedCount(const Node& node) const;
  bool isInSight(const Node& node) const;
  static QString keyOf(const Node& node);

  SnapshotPtr snapshot_;
  std::unique_ptr<Node> root_;
  QStringList words_;
  Shown shown_ = Shown::All;
  QSet<QString> unfolded_;  ///< keys of parents
  QSet<QString> inSight_;
  int shownVersions_ = 0;
  bool isRefreshing_ = false;
  int sortColumn_ = NameColumn;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace strata::gui
