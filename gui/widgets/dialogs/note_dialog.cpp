#include "gui/widgets/dialogs/note_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/store/refs/reference.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

QToolButton* noteButton(Workbench& bench, const QString& label) {
  auto* button = new QToolButton;
  button->setIcon(icon(QStringLiteral("note")));
  button->setAutoRaise(true);
  button->setToolTip(NoteDialog::tr("Edit the note (Ctrl+E)"));
  button->setAccessibleName(NoteDialog::tr("Edit the note"));
  QObject::connect(button, &QToolButton::clicked, &bench,
                   [&bench, label] { emit bench.editNote(label); });
  return button;
}

NoteDialog::NoteDialog(Workbench& bench, const QString& label, const QString& note, QWidget* parent)
    : QDialog(parent),
      label_(label),
      before_(note),
      note_(new QPlainTextEdit(note)),
      objection_(new QLabel),
      save_(new QPushButton(tr("Save"))) {
  setWindowTitle(tr("Note of %1").arg(label));
  setAttribute(Qt::WA_DeleteOnClose);
  note_->setAccessibleName(tr("Note"));
  note_->setTabChangesFocus(true);
  note_->moveCursor(QTextCursor::End);
  auto* what = new QLabel(
      tr("Nothing else of the version changes. The next push sends the note to the remote."));
  what->setWordWrap(true);
  objection_->setWordWrap(true);
  auto* close = new QPushButton(tr("Close"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(new CommandButton(bench, [this, &bench] {
    if (!save_->isEnabled()) return QStringList();
    return QStringList{
        bench.command(QStringLiteral("note")).words({label_, note_->toPlainText()}).text()};
  }));
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(save_);
  auto* all = new QVBoxLayout(this);
  all->addWidget(note_, 1);
  all->addWidget(what);
  all->addWidget(objection_);
  all->addLayout(buttons);
  resize(460, 240);
  save_->setShortcut(Qt::CTRL | Qt::Key_Return);
  save_->setToolTip(save_->shortcut().toString(QKeySequence::NativeText));
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(note_, &QPlainTextEdit::textChanged, this, &NoteDialog::update);
  connect(save_, &QPushButton::clicked, this, [this] {
    emit noteRequested(note_->toPlainText());
    this->close();
  });
  note_->setFocus();
  update();
}

void NoteDialog::update() {
  const QString wanted = note_->toPlainText();
  const bool isText = checkText("note", wanted.toStdString()).has_value();
  objection_->setText(isText ? QString() : tr("Notes have at most 10,000 bytes."));
  save_->setEnabled(isText && wanted != before_);
}

}  // namespace strata::gui
