#include "gui/widgets/dialogs/confirm_loss.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace strata::gui {

void confirmLoss(QWidget* parent, const QString& title, const QString& what, const QString& details,
                 const QString& button, std::function<void()> act) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, what, QMessageBox::NoButton, parent);
  const QString end =
      QCoreApplication::translate("strata::gui::ConfirmLoss", "This cannot be undone.");
  box->setInformativeText(details.isEmpty() ? end : details + u'\n' + end);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* go = box->addButton(button, QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  QObject::connect(go, &QPushButton::clicked, parent, [act = std::move(act)] { act(); });
  box->open();
}

}  // namespace strata::gui
