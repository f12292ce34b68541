#pragma once

#include <QSet>
#include <QString>
#include <QStringList>
#include <QTreeView>
#include <functional>

#include "gui/models/lineage_model.h"
#include "gui/widgets/views/steady_rows.h"

namespace strata::gui {

/// The tree of the library, with lanes from a base to what was tuned from it. Keeps what is open,
/// selected and in sight when the list is read anew.
class LineageView final : public QTreeView {
  Q_OBJECT

 public:
  explicit LineageView(LineageModel* model, QWidget* parent = nullptr);

  /// Labels of the selected rows, in the order of selection; of a name the newest version's.
  QStringList selectedLabels() const;
  /// The same with all versions of a name whose row is selected.
  QStringList selectedVersions() const;
  void select(const QString& label);
  void setEmptyText(const QString& text);
  /// Scrolls up and down only: a click on a far column leaves the names where they are.
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

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
  /// Opens what was open or in sight, and what is new.
  void openRows();
  /// Calls for each row, parents first.
  void forEachRow(const QModelIndex& parent, const std::function<void(const QModelIndex&)>& take);

  LineageModel* model_;
  QString emptyText_;
  // What remember() keeps, as keys of rows.
  QSet<QString> open_;
  QSet<QString> closed_;
  SteadyRows rows_;
  bool isFitted_ = false;
};

}  // namespace strata::gui
