#pragma once

#include <QMessageBox>
#include <QStringList>

namespace strata::gui {

class StoreSession;
class TransferList;

/// Asks whether to close the window although it still does something.
class QuitQuestion final : public QMessageBox {
  Q_OBJECT

 public:
  QuitQuestion(const QStringList& tasks, QWidget* window);

  /// What the window does and would stop by closing, in words.
  static QStringList unfinishedTasks(StoreSession& session, const TransferList& transfers);

 signals:
  void quitRequested();
  void stayRequested();
};

}  // namespace strata::gui
