#include "gui/widgets/dialogs/login_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/models/wording.h"
#include "gui/widgets/banner.h"

namespace strata::gui {

LoginDialog::LoginDialog(const CredentialRow& row, QWidget* parent)
    : QDialog(parent),
      needsUser_(row.service != hub::Service::HuggingFace),
      banner_(new Banner),
      user_(new QLineEdit),
      secret_(new QLineEdit) {
  setWindowTitle(tr("Log in to %1").arg(row.host));
  setAttribute(Qt::WA_DeleteOnClose);
  const bool isStore = row.service == hub::Service::ObjectStore;
  const QString userTitle = isStore ? tr("Access key id") : tr("User name");
  const QString secretTitle = !needsUser_ ? tr("Token")
                              : isStore   ? tr("Secret access key")
                                          : tr("Password or token");
  user_->setAccessibleName(userTitle);
  secret_->setAccessibleName(secretTitle);
  secret_->setEchoMode(QLineEdit::Password);
  user_->setMinimumWidth(320);
  secret_->setMinimumWidth(320);
  auto* form = new QFormLayout;
  if (needsUser_) form->addRow(userTitle, user_);
  user_->setVisible(needsUser_);
  form->addRow(secretTitle, secret_);
  auto* hint = new QLabel(
      tr("It is kept in the keychain, or where there is none in a file that only you can read. "
         "Strata never shows it."));
  hint->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  login_ = buttons->addButton(tr("Log in"), QDialogButtonBox::AcceptRole);
  auto* all = new QVBoxLayout(this);
  all->addWidget(banner_);
  all->addLayout(form);
  all->addWidget(hint);
  all->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, &LoginDialog::ask);
  for (QLineEdit* edit : {user_, secret_}) {
    connect(edit, &QLineEdit::textChanged, this, &LoginDialog::updateButtons);
  }
  updateButtons();
}

void LoginDialog::updateButtons() {
  login_->setEnabled(!secret_->text().isEmpty() && (!needsUser_ || !user_->text().isEmpty()));
}

void LoginDialog::ask() {
  login_->setEnabled(false);  // until there is an answer
  hub::Credential credential;
  credential.user = user_->text().trimmed().toStdString();
  credential.secret = secret_->text().toStdString();
  emit loginRequested(credential);
}

void LoginDialog::showProblem(const Problem& problem) {
  banner_->showProblem(problem);
  updateButtons();
}

}  // namespace strata::gui
