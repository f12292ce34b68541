#pragma once

#include <QStringList>
#include <QToolButton>
#include <functional>

class QMenu;

namespace strata::gui {

class Workbench;

/// Makes a menu offer commands; one that is chosen is copied.
void fillWithCommands(QMenu& menu, Workbench& bench, const QStringList& commands);

/// Copies what a page does as commands of `strata`: the only one at once, of several the one that
/// is chosen from a menu.
class CommandButton final : public QToolButton {
  Q_OBJECT

 public:
  using Commands = std::function<QStringList()>;

  /// `commands` is asked at each click; empty texts are left out.
  CommandButton(Workbench& bench, Commands commands, QWidget* parent = nullptr);

  /// What a click would copy, or offer.
  QStringList commands() const;

 private:
  void offer();

  Workbench& bench_;
  Commands commands_;
};

}  // namespace strata::gui
