#include "gui/pages/transfers_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/text/wording.h"
#include "gui/models/wording.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

using State = Transfer::State;

QString stateText(const Transfer& transfer) {
  switch (transfer.state) {
    case State::Waiting:
      return TransfersPage::tr("waiting");
    case State::Running:
      return TransfersPage::tr("running");
    case State::Elsewhere:
      return TransfersPage::tr("running elsewhere");
    case State::Interrupted:
      return TransfersPage::tr("interrupted");
    case State::Failed:
      return TransfersPage::tr("FAILED");
    case State::Done:
      return TransfersPage::tr("done");
  }
  return {};
}

/// Whether it is known how far it came.
bool hasShare(const Transfer& transfer) {
  return transfer.state != State::Done && transfer.progress.totalBytes > 0;
}

QString amountText(const Transfer& transfer) {
  const JobProgress& progress = transfer.progress;
  if (!hasShare(transfer)) return {};
  return TransfersPage::tr("%1 of %2")
      .arg(bytesText(static_cast<std::uint64_t>(progress.doneBytes)),
           bytesText(static_cast<std::uint64_t>(progress.totalBytes)));
}

}  // namespace

TransfersPage::TransfersPage(Workbench& bench, TransferList& list, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      list_(list),
      view_(new TableView(tr("Transfers"))),
      line_(new QLabel),
      retry_(new QPushButton(tr("Resume"))),
      pause_(new QPushButton(tr("Pause"))),
      forget_(new QPushButton(tr("Forget"))),
      stop_(new QPushButton(tr("Cancel"))),
      resume_(new QPushButton(tr("Resume all"))),
      clear_(new QPushButton(tr("Clear finished"))) {
  using Row = const Transfer&;
  table_ = new RecordTable<Transfer>(
      {{tr("What"),
        {},
        false,
        [](Row row) {
          return row.references.isEmpty() ? tr("all versions")
                                          : row.references.join(QStringLiteral(", "));
        }},
       {tr("Direction"),
        {},
        false,
        [](Row row) {
          return row.direction == Transfer::Direction::Push ? tr("push to %1").arg(row.remote)
                                                            : tr("pull from %1").arg(row.remote);
        }},
       {tr("State"), {}, false, stateText},
       {tr("Done"),
        {},
        true,
        [](Row row) { return hasShare(row) ? shareText(row.progress.share()) : QString(); },
        {},
        {},
        [](Row row) { return hasShare(row) ? row.progress.share() : 0.0; }},
       {tr("Amount"), {}, true, amountText},
       {tr("Speed"),
        {},
        true,
        [](Row row) {
          return row.state == State::Running && row.progress.bytesPerSecond > 0
                     ? text(wordRate(row.progress.bytesPerSecond))
                     : QString();
        }},
       {tr("What came of it"),
        {},
        false,
        [](Row row) { return row.words; },
        {},
        [](Row row) { return row.words; }}},
      this);
  table_->setMark([](Row row) { return row.state == State::Failed; });
  view_->setRecords(table_);
  view_->setWideColumn(6);
  view_->setEmptyText(
      tr("Nothing is being sent or fetched.\nPush from the library, pull from a remote."));
  auto* bar = new QHBoxLayout;
  bar->addWidget(line_, 1);
  for (QPushButton* button : {resume_, retry_, pause_, stop_, forget_, clear_})
    bar->addWidget(button);
  bar->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addLayout(bar);
  all->addWidget(view_, 1);

  connect(&list_, &TransferList::changed, this, &TransfersPage::show);
  connect(view_, &TableView::rowChanged, this, [this] { show(); });
  connect(retry_, &QPushButton::clicked, this, [this] { list_.retry(selectedId()); });
  connect(pause_, &QPushButton::clicked, this, [this] { list_.pause(selectedId()); });
  for (QPushButton* button : {stop_, forget_}) {
    connect(button, &QPushButton::clicked, this, [this] { list_.cancel(selectedId()); });
  }
  connect(resume_, &QPushButton::clicked, &list_, &TransferList::resumeAll);
  connect(clear_, &QPushButton::clicked, &list_, &TransferList::clearOver);
  show();
}

QStringList TransfersPage::commands() const {
  const auto transfer = [this](const char* verb) {
    return bench_.command(QStringLiteral("transfer")).word(QLatin1String(verb)).text();
  };
  QStringList all{transfer("list"), transfer("resume")};
  const int row = view_->currentRow();
  if (row < 0) return all;
  const Transfer& chosen = table_->row(row);
  const bool isPush = chosen.direction == Transfer::Direction::Push;
  return all << bench_.command(isPush ? QStringLiteral("push") : QStringLiteral("pull"))
                    .words(chosen.references)
                    .word(chosen.remote)
                    .text();
}

int TransfersPage::selectedId() const {
  const int row = view_->currentRow();
  return row < 0 ? 0 : table_->row(row).id;
}

void TransfersPage::show() {
  const std::vector<Transfer>& transfers = list_.transfers();
  const bool isOther = transfers.size() != table_->rows().size();
  const QSignalBlocker quiet(view_);
  table_->updateRows(transfers);
  if (isOther && !transfers.empty()) view_->fitColumns();
  const int row = view_->currentRow();
  const Transfer* chosen = row < 0 ? nullptr : &table_->row(row);
  const auto any = [&](auto&& test) {
    return std::any_of(transfers.begin(), transfers.end(), test);
  };
  const bool isOurs =
      chosen != nullptr && (chosen->state == State::Running || chosen->state == State::Waiting);
  retry_->setEnabled(chosen != nullptr && chosen->canGoOn());
  pause_->setEnabled(isOurs);
  stop_->setEnabled(isOurs);
  forget_->setEnabled(chosen != nullptr && chosen->canGoOn());
  resume_->setEnabled(any([](const Transfer& one) { return one.state == State::Interrupted; }));
  clear_->setEnabled(any([](const Transfer& one) { return one.isOver(); }));
  line_->setText(
      list_.isRunning()
          ? tr("It is safe to close this window: what arrived is kept and goes on later.")
          : tr("%n transfer(s) open", nullptr, list_.openCount()));
}

}  // namespace strata::gui
