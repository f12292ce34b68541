#include "gui/widgets/dialogs/tag_dialog.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/command_button.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

TagDialog::TagDialog(Workbench& bench, const QString& label, const QStringList& own,
                     const QStringList& others, QWidget* parent)
    : QDialog(parent),
      bench_(bench),
      label_(label),
      own_(own),
      others_(others),
      tag_(new QLineEdit),
      note_(new QLineEdit),
      move_(new QCheckBox(tr("Take it from the version that has it"))),
      add_(new QPushButton(tr("Tag"))) {
  setWindowTitle(tr("Tags of %1").arg(label));
  setAttribute(Qt::WA_DeleteOnClose);
  tag_->setAccessibleName(tr("Tag"));
  tag_->setPlaceholderText(tr("prod"));
  note_->setAccessibleName(tr("Note"));
  add_->setDefault(true);
  auto* form = new QFormLayout;
  form->addRow(tr("New tag"), tag_);
  form->addRow(tr("Note"), note_);
  form->addRow(QString(), move_);
  auto* all = new QVBoxLayout(this);
  if (own.isEmpty()) {
    all->addWidget(new QLabel(tr("This version has no tags.")));
  }
  for (const QString& tag : own) {
    auto* row = new QHBoxLayout;
    auto* name = new QLabel(tag);
    auto* remove = new QPushButton(tr("Remove"));
    remove->setAutoDefault(false);
    remove->setAccessibleName(tr("Remove the tag %1").arg(tag));
    row->addWidget(name, 1);
    row->addWidget(remove);
    all->addLayout(row);
    connect(remove, &QPushButton::clicked, this, [this, tag] {
      emit removeRequested(tag);
      close();
    });
  }
  all->addLayout(form);
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(add_);
  all->addLayout(buttons);
  setMinimumWidth(380);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(tag_, &QLineEdit::textChanged, this, &TagDialog::update);
  connect(add_, &QPushButton::clicked, this, [this] {
    emit addRequested(tag_->text(), note_->text(), move_->isChecked());
    this->close();
  });
  update();
}

QStringList TagDialog::commands() const {
  const auto command = [this] { return bench_.command(QStringLiteral("tag")); };
  QStringList all;
  if (add_->isEnabled()) {
    all << command()
               .words({label_, tag_->text()})
               .option(QStringLiteral("--note"), note_->text())
               .flag(QStringLiteral("--move"), move_->isChecked())
               .text();
  }
  const QString name = label_.section(u':', 0, 0);
  for (const QString& tag : own_) {
    all << command().words({QStringLiteral("remove"), name + u':' + tag}).text();
  }
  return all;
}

void TagDialog::update() {
  move_->setVisible(others_.contains(tag_->text()));
  add_->setEnabled(!tag_->text().isEmpty());
}

}  // namespace strata::gui
