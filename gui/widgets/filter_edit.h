#pragma once

#include <QLineEdit>

namespace strata::gui {

/// The box above a list that narrows it while one types. Esc empties it.
class FilterEdit final : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterEdit(const QString& placeholder, QWidget* parent = nullptr);

 signals:
  void filterChanged(const QString& words);
  /// Down or Enter: to the list.
  void left();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace strata::gui
