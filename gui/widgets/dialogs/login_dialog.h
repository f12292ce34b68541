#pragma once

#include <QDialog>

#include "gui/jobs/auth_ops.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace strata::gui {

class Banner;

/// Asks for the secret of one server. What is typed is never shown, and forgotten with the dialog.
class LoginDialog final : public QDialog {
  Q_OBJECT

 public:
  LoginDialog(const CredentialRow& row, QWidget* parent = nullptr);

  /// Says why it was not taken; the dialog stays.
  void showProblem(const Problem& problem);

 signals:
  void loginRequested(const strata::hub::Credential& credential);

 private:
  void updateButtons();
  void ask();

  bool needsUser_;
  Banner* banner_;
  QLineEdit* user_;
  QLineEdit* secret_;
  QPushButton* login_;
};

}  // namespace strata::gui
