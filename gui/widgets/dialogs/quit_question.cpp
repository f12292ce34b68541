#include "gui/widgets/dialogs/quit_question.h"

#include <QPushButton>

#include "gui/jobs/job_queue.h"
#include "gui/jobs/store_session.h"
#include "gui/jobs/transfer_list.h"

namespace strata::gui {

QuitQuestion::QuitQuestion(const QStringList& tasks, QWidget* window)
    : QMessageBox(
          QMessageBox::Question, tr("Quit Strata"),
          tr("%n unfinished task(s). Quit all the same?", nullptr, static_cast<int>(tasks.size())),
          QMessageBox::NoButton, window) {
  setObjectName(QStringLiteral("quit"));
  setAttribute(Qt::WA_DeleteOnClose);
  setInformativeText(
      tasks.join(u'\n') + QStringLiteral("\n\n") +
      tr("Transfers go on where they stopped once the window is open again. What else runs is "
         "stopped: the store stays as it was before, and so do your files."));
  QPushButton* quit = addButton(tr("Quit"), QMessageBox::DestructiveRole);
  QPushButton* stay = addButton(tr("Stay"), QMessageBox::RejectRole);
  setDefaultButton(stay);
  setEscapeButton(stay);
  connect(quit, &QPushButton::clicked, this, &QuitQuestion::quitRequested);
  connect(stay, &QPushButton::clicked, this, &QuitQuestion::stayRequested);
}

QStringList QuitQuestion::unfinishedTasks(StoreSession& session, const TransferList& transfers) {
  QStringList words;
  for (const Transfer& transfer : transfers.transfers()) {
    const bool isOurs =
        transfer.state == Transfer::State::Running || transfer.state == Transfer::State::Waiting;
    if (!isOurs) continue;
    words << (transfer.direction == Transfer::Direction::Push ? tr("Push to %1")
                                                              : tr("Pull from %1"))
                 .arg(transfer.remote);
  }
  for (const Job* job : session.queue().writing()) {
    if (!transfers.owns(*job)) words << job->title();
  }
  return words;
}

}  // namespace strata::gui
