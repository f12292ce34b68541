#include "gui/pages/history_page.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/jobs/change_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

HistoryPage::HistoryPage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      table_(makeOperationTable(this)),
      view_(new TableView(tr("Operations"))),
      details_(new QPlainTextEdit),
      undo_(new QPushButton(icon(QStringLiteral("undo")), tr("Take back"))),
      redo_(new QPushButton(icon(QStringLiteral("redo")), tr("Do again"))),
      banner_(new Banner) {
  constexpr int kSubject = 3;
  view_->setWideColumn(kSubject);
  view_->setRecords(table_);
  view_->keepPlace();
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEmptyText(tr("Nothing was done to this store yet."));
  details_->setAccessibleName(tr("What the operation changed"));
  details_->setReadOnly(true);
  details_->setTabChangesFocus(true);
  auto* split = new QSplitter(Qt::Vertical);  // its parts stay where they are, whatever is chosen
  split->addWidget(view_);
  split->addWidget(details_);
  split->setStretchFactor(0, 1);
  split->setSizes({460, 130});
  split->setChildrenCollapsible(false);
  auto* filter = new FilterEdit(tr("Filter by operation, name or version"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(undo_);
  buttons->addWidget(redo_);
  buttons->addStretch(1);
  buttons->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(filter);
  all->addWidget(split, 1);
  all->addLayout(buttons);
  all->addWidget(banner_);
  connect(filter, &FilterEdit::filterChanged, view_, &TableView::setFilter);
  filter->serve(view_);
  connect(view_, &TableView::rowChanged, this, &HistoryPage::tryChosen);
  connect(undo_, &QPushButton::clicked, this, [this] { revert(false); });
  connect(redo_, &QPushButton::clicked, this, [this] { revert(true); });
  connect(&bench_.session(), &StoreSession::listed, this, [this] {
    isStale_ = true;
    if (isVisible()) list();
  });
  connect(&bench_.session(), &StoreSession::closed, this, [this] {
    listing_.clear();
    banner_->clear();
    table_->setRows({});
  });
  tryChosen();
}

void HistoryPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isStale_) list();
}

void HistoryPage::list() {
  isStale_ = false;
  auto* job = historyJob(bench_.store());
  listing_ = job;
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    if (job != listing_) return;
    table_->setRows(job->report());
    tryChosen();
    emit listed();
  });
  bench_.read(job);
}

const Operation* HistoryPage::chosen() const {
  const int row = view_->currentRow();
  return row < 0 ? nullptr : &table_->row(row);
}

void HistoryPage::tryChosen() {
  undo_->setEnabled(false);
  redo_->setEnabled(false);
  trying_.clear();
  const Operation* const one = chosen();
  if (one == nullptr) {
    return details_->setPlainText(
        tr("Choose an operation to see what it changed, and whether it can be taken back."));
  }
  if (!isUndoable(*one)) return showChosen(*one, tr("This cannot be taken back."));
  const Operation operation = *one;
  auto* job = undoJob(bench_.store(), operation,
                      {.again = operation.isUndone, .id = operation.id, .dryRun = true});
  trying_ = job;
  connect(job, &Job::failed, this, [this, job, operation](const Problem& problem) {
    if (job != trying_) return;
    showChosen(operation, problem.why);
    emit tried();
  });
  connect(job, &Job::finished, this, [this, job, operation] {
    if (job != trying_) return;
    (operation.isUndone ? redo_ : undo_)->setEnabled(true);
    showChosen(operation, {});
    emit tried();
  });
  bench_.read(job);
}

void HistoryPage::showChosen(const Operation& operation, const QString& objection) {
  constexpr qsizetype kMostLines = 100;
  QStringList lines = changeTexts(operation, Sense::Done);
  const qsizetype count = lines.size();
  lines = lines.mid(0, kMostLines);
  if (count > kMostLines) {
    lines << tr("... and %n more", nullptr, static_cast<int>(count - kMostLines));
  }
  if (operation.isUndone) lines.prepend(tr("Taken back. It had made:"));
  if (!objection.isEmpty()) lines << objection;
  details_->setPlainText(lines.join(u'\n'));
}

void HistoryPage::revert(bool again) {
  const Operation* const one = chosen();
  if (one == nullptr) return;
  const Operation operation = *one;
  undo_->setEnabled(false);
  redo_->setEnabled(false);
  banner_->clear();
  auto* job = undoJob(bench_.store(), operation, {.again = again, .id = operation.id});
  connect(job, &Job::failed, this, [this](const Problem& problem) {
    banner_->showProblem(problem);
    tryChosen();
  });
  connect(job, &Job::finished, this, [this, operation, again] {
    const QString what = operationText(operation);
    banner_->showNotice(Banner::Kind::Good,
                        again ? tr("Did again: %1").arg(what) : tr("Took back: %1").arg(what),
                        changeTexts(operation, again ? Sense::Again : Sense::Back).join(u'\n'));
    emit reverted(operation, again);
    bench_.session().refresh();
  });
  bench_.edit(job);
}

QStringList HistoryPage::commands() const {
  const auto command = [this](const char* name) { return bench_.command(QLatin1String(name)); };
  QStringList all;
  if (const Operation* const one = chosen()) {
    const char* const verb = one->isUndone ? "redo" : "undo";
    if (isUndoable(*one)) all << command(verb).word(QString::number(one->id)).text();
  }
  return all << command("history").text();
}

}  // namespace strata::gui
