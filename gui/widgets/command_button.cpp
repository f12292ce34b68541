#include "gui/widgets/command_button.h"

#include <QMenu>

#include "gui/widgets/look/icons.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

void fillWithCommands(QMenu& menu, Workbench& bench, const QStringList& commands) {
  menu.clear();
  for (const QString& command : commands) {
    // An ampersand would underline what follows it.
    menu.addAction(QString(command).replace(u'&', QStringLiteral("&&")), &bench,
                   [&bench, command] { bench.copy(command, CommandButton::tr("the command")); });
  }
}

CommandButton::CommandButton(Workbench& bench, Commands commands, QWidget* parent)
    : QToolButton(parent), bench_(bench), commands_(std::move(commands)) {
  setIcon(gui::icon(QStringLiteral("terminal")));
  setToolTip(tr("Copy as command"));
  setAccessibleName(toolTip());
  connect(this, &QToolButton::clicked, this, &CommandButton::offer);
}

QStringList CommandButton::commands() const {
  QStringList all = commands_();
  all.removeAll(QString());
  return all;
}

void CommandButton::offer() {
  const QStringList all = commands();
  if (all.size() == 1) return bench_.copy(all.front(), tr("the command"));
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillWithCommands(*menu, bench_, all);
  if (all.isEmpty()) menu->addAction(tr("There is nothing to do yet"))->setEnabled(false);
  menu->popup(mapToGlobal(rect().bottomLeft()));
}

}  // namespace strata::gui
