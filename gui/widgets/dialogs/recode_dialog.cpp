#include "gui/widgets/dialogs/recode_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/jobs/change_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kBaseRole = Qt::UserRole + 1;  ///< a RecodeBase, beside the label of a base

/// What became of what a version is a difference to.
QString parentsText(const RecodeReport& report) {
  const QString parent = text(report.parentLabel);
  const QString before = text(report.formerParentLabel);
  if (parent == before) return {};
  if (parent.isEmpty()) {
    return RecodeDialog::tr("Stored in full, before as a difference to %1.").arg(before);
  }
  return before.isEmpty()
             ? RecodeDialog::tr("A difference to %1, before in full.").arg(parent)
             : RecodeDialog::tr("A difference to %1, before to %2.").arg(parent, before);
}

}  // namespace

QString recodedText(const RecodeReport& report, bool isDryRun) {
  using Outcome = RecodeReport::Outcome;
  const QString label = labelText(report.version);
  const QString before = bytesText(report.bytesBefore);
  const QString after = bytesText(report.bytesAfter);
  QString words;
  switch (report.outcome) {
    case Outcome::Unchanged:
      return RecodeDialog::tr("%1 is coded like this already, in %2.").arg(label, before);
    case Outcome::NotSmaller:
      words = RecodeDialog::tr("%1 would take %2 instead of %3: it stays as it is.")
                  .arg(label, after, before);
      break;
    case Outcome::Recoded:
      words = (isDryRun ? RecodeDialog::tr("%1 would take %2 instead of %3.")
                        : RecodeDialog::tr("%1 takes %2 now, %3 before."))
                  .arg(label, after, before);
      break;
  }
  if (const QString parents = parentsText(report); !parents.isEmpty()) words += u'\n' + parents;
  if (!report.along.empty()) {
    words += u'\n' + RecodeDialog::tr("These share its objects, and come along: %1")
                         .arg(joined(report.along, QStringLiteral(", ")));
  }
  return words;
}

RecodeDialog::RecodeDialog(Workbench& bench, const ListRow& version, QWidget* parent)
    : QDialog(parent),
      bench_(bench),
      reference_(version.version.label()),
      base_(new QComboBox),
      effort_(new QComboBox),
      force_(new QCheckBox(tr("Also where it becomes larger"))),
      now_(new QLabel),
      outcome_(new QLabel),
      progress_(new QProgressBar),
      try_(new QPushButton(tr("Try"))),
      recode_(new QPushButton(tr("Recode"))) {
  const QString label = labelText(version.version);
  setWindowTitle(tr("Recode %1").arg(label));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* what = new QLabel(
      tr("Content, number, tags, note and dates stay, and so do differences to it. What is coded "
         "is decoded and compared first. Remotes keep what they have."));
  what->setWordWrap(true);
  const QString stored = bytesText(version.version.storedBytes);
  now_->setText(version.parentLabel.empty()
                    ? tr("%1 stored, in full").arg(stored)
                    : tr("%1 stored, a difference to %2").arg(stored, text(version.parentLabel)));
  outcome_->setWordWrap(true);
  outcome_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  outcome_->setMinimumHeight(3 * fontMetrics().lineSpacing());
  progress_->setMaximumHeight(8);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress of the try"));
  keepRoom(*progress_);
  progress_->hide();
  fillBases(version);
  try_->setToolTip(tr("Code and compare, write nothing; takes as long as recoding"));
  try_->setAutoDefault(false);
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  recode_->setDefault(true);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(try_);
  buttons->addWidget(recode_);
  auto* all = new QVBoxLayout(this);
  all->addWidget(what);
  all->addLayout(makeForm());
  all->addWidget(progress_);
  all->addWidget(outcome_, 1);
  all->addLayout(buttons);
  setMinimumWidth(480);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(try_, &QPushButton::clicked, this, &RecodeDialog::tryIt);
  connect(recode_, &QPushButton::clicked, this, [this] {
    emit recodeRequested(options());
    this->close();
  });
  connect(this, &QDialog::finished, this, [this] {
    if (trying_) trying_->cancel();
  });
  connect(&bench_.session(), &StoreSession::closed, this, &QDialog::close);
}

QFormLayout* RecodeDialog::makeForm() {
  nameChoice(*base_, tr("A difference to"));
  nameChoice(*effort_, tr("Effort"));
  effort_->addItem(tr("as it was"));
  for (const Effort level : {Effort::Fast, Effort::Default, Effort::Best}) {
    effort_->addItem(text(name(level)), static_cast<int>(level));
  }
  auto* form = new QFormLayout;
  form->addRow(tr("Now"), now_);
  form->addRow(tr("A difference to"), base_);
  form->addRow(tr("Effort"), effort_);
  form->addRow(QString(), force_);
  connect(base_, &QComboBox::currentIndexChanged, this, [this] {
    // In full it is larger, which is what is asked for.
    const auto choice = static_cast<RecodeBase>(base_->currentData(kBaseRole).toInt());
    force_->setChecked(choice == RecodeBase::None);
    forgetTry();
  });
  connect(effort_, &QComboBox::currentIndexChanged, this, &RecodeDialog::forgetTry);
  connect(force_, &QCheckBox::toggled, this, &RecodeDialog::forgetTry);
  return form;
}

void RecodeDialog::fillBases(const ListRow& version) {
  const auto add = [this](const QString& words, RecodeBase choice, const QString& label = {}) {
    base_->addItem(words, label);
    base_->setItemData(base_->count() - 1, static_cast<int>(choice), kBaseRole);
  };
  add(tr("the same as now"), RecodeBase::Keep);
  add(tr("the base that serves best"), RecodeBase::Auto);
  add(tr("nothing: in full"), RecodeBase::None);
  base_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  base_->setMinimumContentsLength(28);
  base_->setMaxVisibleItems(16);
  for (const QString& label : bench_.labels()) {
    if (label != labelText(version.version)) add(label, RecodeBase::Reference, label);
  }
}

RecodeOptions RecodeDialog::options() const {
  RecodeOptions wanted;
  wanted.reference = reference_;
  wanted.baseChoice = static_cast<RecodeBase>(base_->currentData(kBaseRole).toInt());
  wanted.base = base_->currentData().toString().toStdString();
  if (const QVariant level = effort_->currentData(); level.isValid()) {
    wanted.effort = static_cast<Effort>(level.toInt());
  }
  wanted.force = force_->isChecked();
  return wanted;
}

void RecodeDialog::forgetTry() {
  if (trying_) trying_->cancel();
  trying_.clear();
  progress_->hide();
  outcome_->clear();
  try_->setEnabled(true);
}

void RecodeDialog::tryIt() {
  forgetTry();
  RecodeOptions wanted = options();
  wanted.dryRun = true;
  auto* job = recodeJob(bench_.store(), wanted);
  trying_ = job;
  try_->setEnabled(false);
  progress_->setRange(0, 0);
  progress_->show();
  connect(job, &Job::progressed, this, [this, job](const JobProgress& progress) {
    if (job != trying_) return;
    progress_->setRange(0, progress.totalBytes > 0 ? 1000 : 0);
    progress_->setValue(static_cast<int>(1000 * progress.share()));
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == trying_) outcome_->setText(problem.why);
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job == trying_) outcome_->setText(recodedText(job->report(), true));
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job != trying_) return;
    trying_.clear();
    progress_->hide();
    try_->setEnabled(true);
    emit tried();
  });
  bench_.read(job);
}

QStringList RecodeDialog::commands() const {
  const RecodeOptions wanted = options();
  QString base = text(wanted.base);
  if (wanted.baseChoice == RecodeBase::Auto) base = QStringLiteral("auto");
  const bool isFull = wanted.baseChoice == RecodeBase::None;
  if (isFull && !wanted.force) base = QStringLiteral("none");
  return {bench_.command(QStringLiteral("recode"))
              .word(exactText(wanted.reference))
              .option(QStringLiteral("--base"), base)
              .flag(QStringLiteral("--flatten"), isFull && wanted.force)
              .option(QStringLiteral("--effort"),
                      wanted.effort ? text(name(*wanted.effort)) : QString())
              .flag(QStringLiteral("--force"), wanted.force && !isFull)
              .text()};
}

}  // namespace strata::gui
