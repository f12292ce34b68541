#pragma once

#include <QDialog>
#include <QString>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace strata::gui {

class Workbench;

/// A small button that asks for another note of a version.
QToolButton* noteButton(Workbench& bench, const QString& label);

/// Asks for another note of one version.
class NoteDialog final : public QDialog {
  Q_OBJECT

 public:
  NoteDialog(Workbench& bench, const QString& label, const QString& note,
             QWidget* parent = nullptr);

 signals:
  void noteRequested(const QString& note);

 private:
  void update();

  QString label_;
  QString before_;
  QPlainTextEdit* note_;
  QLabel* objection_;
  QPushButton* save_;
};

}  // namespace strata::gui
