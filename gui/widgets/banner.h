#pragma once

#include <QFrame>
#include <QString>
#include <functional>

#include "gui/models/problem_text.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace strata::gui {

/// A line beside its cause: what happened, why, and buttons that help. Hidden until it is needed;
/// never a message box.
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

  QLabel* icon_;
  QLabel* text_;
  QHBoxLayout* buttons_;
  QToolButton* close_;
};

}  // namespace strata::gui
