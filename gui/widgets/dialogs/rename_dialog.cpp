#include "gui/widgets/dialogs/rename_dialog.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/store/refs/reference.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

RenameDialog::RenameDialog(Workbench& bench, const QString& name, int versionCount,
                           const QStringList& taken, QWidget* parent)
    : QDialog(parent),
      name_(name),
      taken_(taken),
      newName_(new QLineEdit(name)),
      objection_(new QLabel),
      rename_(new QPushButton(tr("Rename"))) {
  setWindowTitle(tr("Rename %1").arg(name));
  setAttribute(Qt::WA_DeleteOnClose);
  newName_->setAccessibleName(tr("New name"));
  newName_->selectAll();
  rename_->setDefault(true);
  auto* what = new QLabel(
      tr("For %n version(s) with all tags, those in the trash as well. Numbers stay. Remotes "
         "keep the old name: the next push sends the new one.",
         nullptr, versionCount));
  what->setWordWrap(true);
  objection_->setWordWrap(true);
  auto* form = new QFormLayout;
  form->addRow(tr("New name"), newName_);
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(new CommandButton(bench, [this, &bench] {
    if (!rename_->isEnabled()) return QStringList();
    return QStringList{
        bench.command(QStringLiteral("rename")).words({name_, newName_->text()}).text()};
  }));
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(rename_);
  auto* all = new QVBoxLayout(this);
  all->addWidget(what);
  all->addLayout(form);
  all->addWidget(objection_);
  all->addLayout(buttons);
  setMinimumWidth(420);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(newName_, &QLineEdit::textChanged, this, &RenameDialog::update);
  connect(rename_, &QPushButton::clicked, this, [this] {
    emit renameRequested(newName_->text());
    this->close();
  });
  newName_->setFocus();
  update();
}

void RenameDialog::update() {
  const QString wanted = newName_->text();
  const bool isTaken = taken_.contains(wanted) && wanted != name_;
  const bool isName = checkName(wanted.toStdString()).has_value();
  objection_->setText(isTaken ? tr("%1 is in use.").arg(wanted)
                      : isName || wanted.isEmpty()
                          ? QString()
                          : tr("Names have up to 100 letters, digits and . _ - in words with / "
                               "between them. Words begin with a letter, a digit or _."));
  rename_->setEnabled(isName && !isTaken && wanted != name_);
}

}  // namespace strata::gui
