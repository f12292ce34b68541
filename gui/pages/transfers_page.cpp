#include "gui/pages/transfers_page.h"

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/text/wording.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

using State = Transfer::State;

QString stateText(const Transfer& transfer, qint64 stalledSeconds) {
  switch (transfer.state) {
    case State::Waiting:
      return TransfersPage::tr("waiting");
    case State::Running:
      return stalledSeconds > 0 ? TransfersPage::tr("stalled for %1 s").arg(stalledSeconds)
                                : TransfersPage::tr("running");
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

QString speedText(const Transfer& transfer, qint64 stalledSeconds) {
  if (transfer.state != State::Running) return {};
  if (stalledSeconds > 0) return numberText(wordRate(0));
  const double rate = transfer.progress.bytesPerSecond;
  return rate > 0 ? numberText(wordRate(rate)) : QString();
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

constexpr int kLookMs = 1000;

QToolButton* makeArrow(const QString& words, const QString& picture) {
  auto* button = new QToolButton;
  button->setIcon(icon(picture));
  button->setToolTip(words);
  button->setAccessibleName(words);
  return button;
}

}  // namespace

TransfersPage::TransfersPage(Workbench& bench, TransferList& list, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      list_(list),
      banner_(new Banner),
      view_(new TableView(tr("Transfers"))),
      line_(new QLabel),
      retry_(new QPushButton(tr("Resume"))),
      pause_(new QPushButton(tr("Pause"))),
      up_(makeArrow(tr("Earlier"), QStringLiteral("up"))),
      down_(makeArrow(tr("Later"), QStringLiteral("down"))),
      forget_(new QPushButton(tr("Forget"))),
      stop_(new QPushButton(tr("Cancel"))),
      resume_(new QPushButton(tr("Resume all"))),
      pauseAll_(new QPushButton(tr("Pause all"))),
      clear_(new QPushButton(tr("Clear finished"))) {
  table_ = makeTable();
  table_->setMark([](const Transfer& row) { return row.state == State::Failed; });
  view_->setRecords(table_);
  view_->setWideColumn(7);
  view_->setEmptyText(
      tr("Nothing is being sent or fetched.\nPush from the library, pull from a remote."));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  line_->setWordWrap(true);
  all->addWidget(line_);
  all->addLayout(makeBar());
  all->addWidget(view_, 1);
  all->addWidget(banner_);
  connect(&list_, &TransferList::changed, this, &TransfersPage::show);
  connect(&list_, &TransferList::ended, this, &TransfersPage::showEnd);
  connect(view_, &TableView::rowChanged, this, [this] { show(); });
  auto* clock = new QTimer(this);  // what stands still tells nothing of itself
  connect(clock, &QTimer::timeout, this, [this] {
    if (list_.isRunning()) show();
  });
  clock->start(kLookMs);
  show();
}

RecordTable<Transfer>* TransfersPage::makeTable() {
  using Row = const Transfer&;
  return new RecordTable<Transfer>(
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
       {tr("State"),
        {},
        false,
        [this](Row row) { return stateText(row, list_.stalledSeconds(row)); }},
       {tr("Done"),
        {},
        true,
        [](Row row) { return hasShare(row) ? shareText(row.progress.share()) : QString(); },
        {},
        {},
        [](Row row) { return hasShare(row) ? row.progress.share() : 0.0; }},
       {tr("Amount"), {}, true, amountText},
       {tr("Speed"), tr("The mean of the last five seconds"), true,
        [this](Row row) { return speedText(row, list_.stalledSeconds(row)); }},
       {tr("Left"),
        {},
        true,
        [this](Row row) {
          return row.state == State::Running && list_.stalledSeconds(row) == 0
                     ? row.progress.timeLeftText()
                     : QString();
        }},
       {tr("What came of it"),
        {},
        false,
        [](Row row) { return row.words; },
        {},
        [](Row row) { return row.words; }}},
      this);
}

QLayout* TransfersPage::makeBar() {
  auto* bar = new FlowLayout;
  for (QAbstractButton* button : std::initializer_list<QAbstractButton*>{
           resume_, pauseAll_, retry_, pause_, up_, down_, stop_, forget_, clear_}) {
    bar->addWidget(button);
  }
  bar->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  connect(retry_, &QPushButton::clicked, this, [this] { list_.retry(selectedId()); });
  connect(pause_, &QPushButton::clicked, this, [this] { list_.pause(selectedId()); });
  connect(up_, &QToolButton::clicked, this, [this] { move(&TransferList::moveUp); });
  connect(down_, &QToolButton::clicked, this, [this] { move(&TransferList::moveDown); });
  for (QPushButton* button : {stop_, forget_}) {
    connect(button, &QPushButton::clicked, this, [this] { list_.cancel(selectedId()); });
  }
  connect(pauseAll_, &QPushButton::clicked, &list_, &TransferList::pauseAll);
  connect(resume_, &QPushButton::clicked, &list_, &TransferList::resumeAll);
  connect(clear_, &QPushButton::clicked, &list_, &TransferList::clearOver);
  return bar;
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

void TransfersPage::showEnd(const Transfer& transfer) {
  view_->fitColumns();
  if (transfer.state != State::Failed) return banner_->clear();
  const bool isPull = transfer.direction == Transfer::Direction::Pull;
  banner_->showProblem(isPull ? transfer.problem.ofForeignData(
                                    tr("Try again; if it stays so, the copy there is damaged."))
                              : transfer.problem);
  banner_->addAction(tr("Try again"), [this, id = transfer.id] {
    banner_->clear();
    list_.retry(id);
  });
}

void TransfersPage::move(void (TransferList::*how)(int)) {
  const int id = selectedId();
  (list_.*how)(id);
  const std::vector<Transfer>& transfers = list_.transfers();
  const auto place = std::find_if(transfers.begin(), transfers.end(),
                                  [id](const Transfer& one) { return one.id == id; });
  view_->selectRow(static_cast<int>(place - transfers.begin()));
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
  for (QToolButton* button : {up_, down_}) {
    button->setEnabled(chosen != nullptr && chosen->state == State::Waiting);
  }
  pauseAll_->setEnabled(any([](const Transfer& one) {
    return one.state == State::Waiting || one.state == State::Running;
  }));
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
