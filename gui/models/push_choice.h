#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "core/ops/exchange/push_versions.h"

namespace strata::gui {

/// The versions that a push would send, with a box each. A version goes with its parents: checking
/// it checks them, and unchecking a parent unchecks what is a difference to it. UI thread only.
class PushChoice final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { VersionColumn, SendsColumn, OriginalColumn, TagsColumn, NoteColumn, ColumnCount };

  explicit PushChoice(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  /// Replaces all rows; every box is checked.
  void setItems(std::vector<PushReport::Item> items);
  /// Labels of the checked versions.
  QStringList chosen() const;
  bool isWhole() const;
  /// Of objects that the checked versions bring along.
  std::uint64_t chosenBytes() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void choiceChanged();

 private:
  struct Row {
    PushReport::Item item;
    bool isChosen = true;
  };

  void choose(Row& row);
  void leave(Row& row);

  std::vector<Row> rows_;
};

}  // namespace strata::gui
