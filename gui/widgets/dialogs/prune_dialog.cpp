#include "gui/widgets/dialogs/prune_dialog.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "gui/jobs/change_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kTypingMs = 250;

QSpinBox* makeCount(int value, const QString& name) {
  auto* box = new QSpinBox;
  box->setRange(1, 1'000'000);
  box->setValue(value);
  box->setAccessibleName(name);
  return box;
}

/// What the removal frees and what stays, a sentence each.
QString bytesOf(const RemoveReport& removal) {
  const QString freed = bytesText(removal.freeableBytes);
  QStringList lines{removal.trashBytes == removal.freeableBytes
                        ? PruneDialog::tr("Emptying the trash then frees %1.").arg(freed)
                        : PruneDialog::tr("Emptying the trash then frees %1, %2 of it by this.")
                              .arg(bytesText(removal.trashBytes), freed)};
  if (removal.differenceBytes() > 0) {
    lines << PruneDialog::tr("%1 stay, because other versions are differences to what goes.")
                 .arg(bytesText(removal.differenceBytes()));
  }
  if (removal.sharedBytes > 0) {
    lines << PruneDialog::tr("%1 stay, because other versions have them, too.")
                 .arg(bytesText(removal.sharedBytes));
  }
  return lines.join(u'\n');
}

}  // namespace

PruneDialog::PruneDialog(Workbench& bench, const QString& name, QWidget* parent)
    : QDialog(parent),
      bench_(bench),
      names_(new QLineEdit(name)),
      isLast_(new QCheckBox(tr("the newest"))),
      last_(makeCount(5, tr("How many of the newest stay"))),
      isEvery_(new QCheckBox(tr("every so many"))),
      every_(makeCount(10, tr("Versions whose number this divides stay"))),
      tagged_(new QCheckBox(tr("those with a tag"))),
      best_(new QCheckBox(tr("the best by stored scores"))),
      table_(makePruneTable(this)),
      view_(new TableView(tr("What goes and what stays"))),
      summary_(new QLabel),
      prune_(new QPushButton(icon(QStringLiteral("trash")), tr("Move to the trash"))) {
  constexpr int kWhy = 2;
  setWindowTitle(tr("Prune versions"));
  setAttribute(Qt::WA_DeleteOnClose);
  isLast_->setChecked(true);
  tagged_->setChecked(true);
  view_->setWideColumn(kWhy);
  view_->setRecords(table_);
  view_->keepPlace();
  summary_->setWordWrap(true);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setMinimumHeight(3 * fontMetrics().lineSpacing());  // nothing moves by another plan
  summary_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* close = new QPushButton(tr("Close"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(prune_);
  auto* all = new QVBoxLayout(this);
  all->addLayout(makeRules());
  all->addWidget(view_, 1);
  all->addWidget(summary_);
  all->addLayout(buttons);
  resize(860, 520);
  prune_->setDefault(true);
  close->setAutoDefault(false);
  wait_.setSingleShot(true);
  wait_.setInterval(kTypingMs);
  connect(&wait_, &QTimer::timeout, this, &PruneDialog::plan);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(prune_, &QPushButton::clicked, this, [this] {
    PruneOptions wanted = options();
    wanted.dryRun = false;
    emit pruneRequested(wanted);
    this->close();
  });
  connect(&bench_.session(), &StoreSession::listed, this, &PruneDialog::planLater);
  connect(&bench_.session(), &StoreSession::closed, this, &QDialog::close);
  plan();
}

QFormLayout* PruneDialog::makeRules() {
  names_->setAccessibleName(tr("Names"));
  names_->setToolTip(tr("* and ? stand for any characters and for one; several names with spaces"));
  auto* form = new QFormLayout;
  form->addRow(tr("Names"), names_);
  auto* counts = lineOf({isLast_, last_, isEvery_, every_});
  counts->addStretch();
  auto* others = lineOf({tagged_, best_});
  others->addStretch();
  form->addRow(tr("What stays"), counts);
  form->addRow(QString(), others);
  connect(names_, &QLineEdit::textChanged, this, &PruneDialog::planLater);
  for (QCheckBox* box : {isLast_, isEvery_, tagged_, best_}) {
    connect(box, &QCheckBox::toggled, this, &PruneDialog::planLater);
  }
  for (QSpinBox* box : {last_, every_}) {
    connect(box, &QSpinBox::valueChanged, this, &PruneDialog::planLater);
  }
  connect(isLast_, &QCheckBox::toggled, last_, &QWidget::setEnabled);
  connect(isEvery_, &QCheckBox::toggled, every_, &QWidget::setEnabled);
  every_->setEnabled(false);
  return form;
}

PruneOptions PruneDialog::options() const {
  PruneOptions wanted;
  for (const QString& name : names_->text().split(u' ', Qt::SkipEmptyParts)) {
    wanted.names.push_back(name.toStdString());
  }
  if (isLast_->isChecked()) wanted.keep.last = static_cast<std::uint64_t>(last_->value());
  if (isEvery_->isChecked()) wanted.keep.every = static_cast<std::uint64_t>(every_->value());
  wanted.keep.tagged = tagged_->isChecked();
  wanted.keep.best = best_->isChecked();
  wanted.dryRun = true;
  return wanted;
}

void PruneDialog::planLater() {
  prune_->setEnabled(false);  // what is shown is not what would be done
  wait_.start();
}

void PruneDialog::plan() {
  const PruneOptions wanted = options();
  if (planning_) planning_->cancel();
  planning_.clear();
  prune_->setEnabled(false);
  if (wanted.names.empty()) return showNone(tr("Which name?"));
  if (wanted.keep.isEmpty()) return showNone(tr("Choose at least one rule for what stays."));
  auto* job = pruneJob(bench_.store(), wanted);
  planning_ = job;
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == planning_) showNone(problem.why);
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job == planning_) showPlan(job->report().report);
  });
  bench_.read(job);
}

void PruneDialog::showNone(const QString& why) {
  table_->setRows({});
  view_->setEmptyText(why);
  summary_->setText(why);
  emit planned();
}

void PruneDialog::showPlan(const PruneReport& report) {
  const auto count = static_cast<int>(report.removal.versions.size());
  table_->setRows(report.rows);
  QString words =
      tr("Would move %n version(s) of %1 to the trash.", nullptr, count).arg(report.rows.size());
  if (count > 0) words += u'\n' + bytesOf(report.removal);
  summary_->setText(words);
  prune_->setEnabled(count > 0);
  emit planned();
}

QStringList PruneDialog::commands() const {
  const PruneOptions wanted = options();
  if (wanted.names.empty() || wanted.keep.isEmpty()) return {};
  const auto number = [](const std::optional<std::uint64_t>& count) {
    return count ? QString::number(*count) : QString();
  };
  CommandText command = bench_.command(QStringLiteral("prune"));
  for (const std::string& name : wanted.names) command.word(exactText(name));
  command.option(QStringLiteral("--keep-last"), number(wanted.keep.last))
      .option(QStringLiteral("--keep-every"), number(wanted.keep.every))
      .flag(QStringLiteral("--keep-tagged"), wanted.keep.tagged)
      .flag(QStringLiteral("--keep-best"), wanted.keep.best);
  return {command.text(), CommandText(command).flag(QStringLiteral("--dry-run"), true).text()};
}

}  // namespace strata::gui
