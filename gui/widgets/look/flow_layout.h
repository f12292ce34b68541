#pragma once

#include <QLayout>
#include <QList>

namespace strata::gui {

/// Widgets side by side, in as many rows as they need: a bar of buttons that does not make a window
/// wider than its screen. Widgets that expand take what is left of their row.
class FlowLayout final : public QLayout {
  Q_OBJECT

 public:
  explicit FlowLayout(QWidget* parent = nullptr);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_ << item; }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize minimumSize() const override;
  QSize sizeHint() const override;
  void setGeometry(const QRect& rect) override;

 private:
  /// One row: items from `first` up to `last`, which is not in it.
  struct Row {
    qsizetype first = 0;
    qsizetype last = 0;
    int width = 0;  ///< of hints and gaps
    int height = 0;
  };
  QList<Row> rowsFor(int width) const;
  void place(const Row& row, const QRect& room) const;

  QList<QLayoutItem*> items_;
};

}  // namespace strata::gui
