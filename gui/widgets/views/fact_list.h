#pragma once

#include <QScrollArea>
#include <QString>

class QAbstractButton;
class QFormLayout;
class QLabel;
class QLayout;

namespace strata::gui {

/// Names and values one under the other, in groups with titles.
class FactList final : public QScrollArea {
  Q_OBJECT

 public:
  explicit FactList(const QString& name, QWidget* parent = nullptr);

  /// Leaves no room around, for panes that have some of their own.
  void setFlush();

  void clear();
  void addTitle(const QString& title);
  /// Nothing where the value is empty.
  void add(const QString& name, const QString& value, const QString& hint = {});
  /// The same with a button behind the value, which is shown also where it is empty.
  void addWithButton(const QString& name, const QString& value, QAbstractButton* button);
  /// A name beside widgets.
  void addLine(const QString& name, QLayout* line);
  void addText(const QString& text);
  void addWidget(QWidget* widget);

 private:
  static QLabel* valueLabel(const QString& name, const QString& value);

  QWidget* page_ = nullptr;
  QFormLayout* form_ = nullptr;
  bool isFlush_ = false;
};

}  // namespace strata::gui
