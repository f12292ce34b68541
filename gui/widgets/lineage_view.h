#pragma once

#include <QSet>
#include <QString>
#include <QStringList>
#include <QTreeView>

#include "gui/models/lineage_model.h"

namespace strata::gui {

/// The tree of the library, with lanes from a base to what was tuned from it. Keeps what is open
/// and selected when the list is read anew.
class LineageView final : public QTreeView {
  Q_OBJECT

 public:
  explicit LineageView(LineageModel* model, QWidget* parent = nullptr);

  /// Labels of the selected rows that are versions, in the order of selection.
  QStringList selectedLabels() const;
  void select(const QString& label);
  void setEmptyText(const QString& text);

 signals:
  void selectedRowsChanged();
  /// Enter or a double click on a version.
  void versionActivated(const QString& label);

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void remember();
  void recall();
  QString keyOf(const QModelIndex& index) const;

  LineageModel* model_;
  QString emptyText_;
  QSet<QString> closed_;
  QString current_;
  bool isFitted_ = false;
};

}  // namespace strata::gui
