#pragma once

#include <QLineEdit>

class QAbstractItemView;

namespace strata::gui {

/// The box above a list that narrows it while one types. Esc empties it, also from the list.
class FilterEdit final : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterEdit(const QString& placeholder, QWidget* parent = nullptr);

  /// The list that the box belongs to: Down and Enter lead there.
  void serve(QAbstractItemView* view);

 signals:
  void filterChanged(const QString& words);
  /// Down, Enter, or Esc while it is empty.
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace strata::gui
