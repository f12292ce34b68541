#pragma once

#include <QFrame>
#include <QList>
#include <QString>
#include <functional>

#include "gui/models/problem_text.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace strata::gui {

class CappedText;

/// A line beside its cause: what happened, why, and buttons that help. Hidden until it is needed;
/// never a message box. Pages have it below what people point at, so that nothing moves away under
/// the pointer. A long text scrolls, and of a very long one the rest can be copied.
class Banner final : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { Notice, Good, Trouble };

  explicit Banner(QWidget* parent = nullptr);

  void showNotice(Kind kind, const QString& what, const QString& why = {});
  /// With the number, the advice, a button that copies all of it, and one for its remedy where
  /// somebody listens to remedyRequested().
  void showProblem(const Problem& problem);
  /// Adds a button to what is shown; `act` runs on a click.
  void addAction(const QString& text, std::function<void()> act);
  /// Hides it and forgets its buttons.
  void clear();

  QString text() const;

 signals:
  void remedyRequested(strata::gui::Remedy remedy);

 private:
  void show(Kind kind, const QString& what, const QString& why);
  void placeButtons();

  QLabel* icon_;
  CappedText* text_;
  QGridLayout* grid_;
  QList<QPushButton*> buttons_;
  QToolButton* close_;
};

}  // namespace strata::gui
