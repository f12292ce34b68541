#include "gui/pages/restore_page.h"

#include <QCheckBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSplitter>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/jobs/remote_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/job_progress.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/look/open_outside.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kDelayMs = 200;  // after the last key

const ListRow* rowOf(const SnapshotPtr& snapshot, const QString& label) {
  if (!snapshot) return nullptr;
  for (const ListRow& row : snapshot->rows) {
    if (labelText(row.version) == label) return &row;
  }
  return nullptr;
}

/// Documents, or what there is in its place.
QString usualFolder() {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

/// Where a version goes unless one says otherwise: Documents, under its name and kind.
QString usualTarget(const QString& label, const ListRow* row) {
  QString name = label;
  name.replace(u':', u'-');
  if (row != nullptr && row->version.fileCount == 1 && row->version.format != "folder") {
    name += u'.' + text(row->version.format);
  }
  return usualFolder() + u'/' + name;
}

/// Shows the graph: by Netron where it is installed, else on its page, which takes the file.
void openInNetron(const QString& file, Banner& banner) {
  const QString program = QStandardPaths::findExecutable(QStringLiteral("netron"));
  if (!program.isEmpty() && QProcess::startDetached(program, {file})) return;
  openOutside(QUrl(QStringLiteral("https://netron.app")), banner);
}

}  // namespace

RestorePage::RestorePage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      title_(new QLabel),
      target_(new QLineEdit),
      keep_(new QRadioButton(tr("stop and say so"))),
      backup_(new QRadioButton(tr("keep it as NAME.bak"))),
      replace_(new QRadioButton(tr("replace it"))),
      verify_(new QCheckBox(tr("compare the SHA-256 of each file, not only its checksums"))),
      plan_(new QLabel),
      fidelity_(new QLabel),
      files_(makeRestoredFileTable(this)),
      line_(makeLineTable(this)),
      fileView_(new TableView(tr("Files to be written"))),
      lineView_(new TableView(tr("Versions they are decoded from"))),
      progress_(new QProgressBar),
      progressText_(new QLabel),
      cancelButton_(new QPushButton(tr("Cancel"))),
      restoreButton_(new QPushButton(icon(QStringLiteral("restore")), tr("Restore"))) {
  makeTitle(*title_);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  progress_->setAccessibleName(tr("Progress of restoring"));
  progress_->hide();
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  auto* inside = new QVBoxLayout;
  inside->setContentsMargins(12, 6, 12, 6);
  inside->setSpacing(12);
  inside->addWidget(title_);
  inside->addLayout(makeForm());
  inside->addWidget(makeTables(), 1);
  inside->addWidget(banner_);
  inside->addLayout(makeButtons());
  all->addLayout(inside, 1);
  connect(&bench_.session(), &StoreSession::listed, this, [this](const SnapshotPtr& snapshot) {
    line_->setRows(lineOf(snapshot->rows, label_));
    if (isMissing_) plan();  // they may have come
  });
}

QFormLayout* RestorePage::makeForm() {
  target_->setAccessibleName(tr("Target"));
  keep_->setChecked(true);
  auto* browseButton = new QPushButton(tr("Browse..."));
  auto* existing = lineOf({keep_, backup_, replace_});
  existing->addStretch();
  for (QRadioButton* choice : {keep_, backup_, replace_}) {
    choice->setAccessibleName(tr("If it exists") + QStringLiteral(": ") + choice->text());
  }
  QFormLayout* form = makePageForm();
  form->addRow(tr("Writes to"), lineOf({target_, browseButton}));
  form->addRow(tr("If it exists"), existing);
  // A screen reader would say the label in place of the box's own words if it were its buddy.
  form->addRow(new QLabel(tr("Check")), verify_);
  form->addRow(tr("Fidelity"), fidelity_);
  form->addRow(tr("Writes"), plan_);
  for (QLabel* line : {plan_, fidelity_}) {
    line->setTextInteractionFlags(Qt::TextSelectableByMouse);
    line->setWordWrap(true);
  }
  plan_->setAccessibleName(tr("What will be written"));
  fidelity_->setAccessibleName(tr("Fidelity"));
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &RestorePage::plan);
  connect(target_, &QLineEdit::textChanged, this, [this] { delay_.start(); });
  for (QRadioButton* choice : {keep_, backup_, replace_}) {
    connect(choice, &QRadioButton::toggled, this, [this] { delay_.start(); });
  }
  connect(browseButton, &QPushButton::clicked, this, &RestorePage::browse);
  return form;
}

QWidget* RestorePage::makeTables() {
  fileView_->setRecords(files_);
  fileView_->setEmptyText(tr("Reading which files the version has..."));
  lineView_->setRecords(line_);
  lineView_->keepPlace();
  lineView_->setSortingEnabled(false);  // from the version to its base
  auto* both = new QSplitter(Qt::Horizontal);
  for (TableView* view : {fileView_, lineView_}) {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    auto* name = new QLabel(view->accessibleName());
    name->setBuddy(view);
    column->addWidget(name);
    column->addWidget(view, 1);
    both->addWidget(side);
  }
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 2);
  both->setChildrenCollapsible(false);
  return both;
}

QHBoxLayout* RestorePage::makeButtons() {
  restoreButton_->setDefault(true);
  auto* buttons = new QHBoxLayout;
  auto* progress = new QVBoxLayout;
  progress->addWidget(progressText_);
  progress->addWidget(progress_);
  buttons->addLayout(progress, 1);
  buttons->addWidget(new CommandButton(bench_, [this] { return QStringList{commandLine()}; }));
  buttons->addWidget(cancelButton_);
  buttons->addWidget(restoreButton_);
  connect(restoreButton_, &QPushButton::clicked, this, &RestorePage::run);
  connect(cancelButton_, &QPushButton::clicked, this, [this] {
    if (restoring_) return restoring_->cancel();
    emit closed();
  });
  return buttons;
}

void RestorePage::begin(const QString& label) {
  label_ = label;
  banner_->clear();
  title_->setText(tr("Restore %1").arg(label));
  keep_->setChecked(true);
  loadDetails();
  setTarget(usualTarget(label, rowOf(bench_.session().snapshot(), label)));
}

void RestorePage::loadDetails() {
  const SnapshotPtr& snapshot = bench_.session().snapshot();
  files_->setRows({});
  line_->setRows(snapshot ? lineOf(snapshot->rows, label_) : std::vector<ListRow>());
  lineView_->fitColumns();
  if (const ListRow* row = rowOf(snapshot, label_)) {
    fidelity_->setText(row->version.lossy
                           ? tr("%1: not the bytes that were added, but what the profile allows")
                                 .arg(fidelityText(row->version))
                           : tr("exact: the same bytes as were added"));
  }
  auto* job = showJob(bench_.store(), label_, Tensors::Without);
  describing_ = job;
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == describing_) banner_->showProblem(problem);
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job != describing_) return;
    std::vector<RestoredFile> rows;
    for (const FileRow& file : job->report().files) rows.push_back({file, {}});
    files_->setRows(std::move(rows));
    showFiles(targets_);
    fileView_->fitColumns();
  });
  bench_.read(job);
}

void RestorePage::showFiles(const std::vector<std::filesystem::path>& targets) {
  targets_ = targets;
  std::vector<RestoredFile> rows = files_->rows();
  const bool isKnown = targets.size() == rows.size();  // both are in the manifest's order
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].target = isKnown ? text(targets[i].string()) : QString();
  }
  files_->updateRows(std::move(rows));
}

void RestorePage::setTarget(const QString& target) {
  target_->setText(target);
  delay_.stop();
  plan();
}

void RestorePage::browse() {
  const ListRow* row = rowOf(bench_.session().snapshot(), label_);
  const bool isFile = row != nullptr && row->version.fileCount == 1;
  auto* dialog =
      new QFileDialog(this, isFile ? tr("Restore to a file") : tr("Restore to a folder"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (isFile) {
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);  // this page asks
  } else {
    dialog->setFileMode(QFileDialog::Directory);
  }
  dialog->selectFile(target_->text());
  connect(dialog, &QFileDialog::fileSelected, this, &RestorePage::setTarget);
  dialog->open();
}

QString RestorePage::commandLine() const {
  return bench_.command(QStringLiteral("restore"))
      .word(label_)
      .option(QStringLiteral("-o"), target_->text())
      .flag(QStringLiteral("--force"), replace_->isChecked())
      .flag(QStringLiteral("--backup"), backup_->isChecked())
      .flag(QStringLiteral("--verify"), verify_->isChecked())
      .text();
}

void RestorePage::plan() {
  if (label_.isEmpty() || restoring_) return;
  RestoreOptions options{.reference = label_.toStdString(),
                         .target = target_->text().toStdString(),
                         .force = replace_->isChecked(),
                         .backup = backup_->isChecked(),
                         .dryRun = true};
  plan_->clear();
  showFiles({});
  restoreButton_->setEnabled(false);
  if (target_->text().isEmpty()) return;
  const ListRow* row = rowOf(bench_.session().snapshot(), label_);
  isMissing_ = row != nullptr && !row->awaited.isHere();
  if (isMissing_) return showMissing(*row);
  auto* job = restoreJob(bench_.store(), options);
  planning_ = job;
  connect(job, &Job::failed, this, [this, job](Problem problem) {
    if (job != planning_) return;
    const bool stops = !replace_->isChecked() && !backup_->isChecked();
    if (problem.code == ErrorCode::InvalidArgument && stops) {
      problem.advice = tr("Say below what becomes of what is there, or write to another place.");
    }
    banner_->showProblem(problem);
    emit planned();
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job == planning_) showPlan(job->report());
  });
  bench_.read(job);
}

void RestorePage::showPlan(const RestoreReport& report) {
  banner_->clear();
  const std::uint64_t left = report.freeBytes - std::min(report.freeBytes, report.writtenBytes);
  plan_->setText(
      tr("%1 in %n file(s); %2 free there, %3 afterwards", nullptr,
         static_cast<int>(report.files.size()))
          .arg(bytesText(report.writtenBytes), bytesText(report.freeBytes), bytesText(left)));
  showFiles(report.files);
  restoreButton_->setEnabled(true);
  emit planned();
}

void RestorePage::showMissing(const ListRow& row) {
  const AwaitedAmount& awaited = row.awaited;
  plan_->setText(tr("%1, but not before %n pack(s) came: %2 to fetch", nullptr,
                    static_cast<int>(awaited.packCount))
                     .arg(bytesText(row.version.originalBytes), bytesText(awaited.byteCount)));
  auto* job = awaitedJob(bench_.store(), row.version);
  planning_ = job;
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, label = label_] {
    if (job != planning_) return;
    const std::optional<AwaitedPacks>& from = job->report();
    const QString remote = from ? text(from->remote) : QString();
    const QString what = tr("%1 cannot be restored yet: packs of it are not here").arg(label);
    if (remote.isEmpty()) {
      return banner_->showNotice(Banner::Kind::Notice, what,
                                 tr("Which remote has them is not known. Pull the version again."));
    }
    banner_->showNotice(Banner::Kind::Notice, what,
                        tr("It was pulled without them from %1.").arg(remote));
    banner_->addAction(tr("Fetch them from %1").arg(remote),
                       [this, remote, reference = text(from->reference)] {
                         emit fetchRequested(remote, reference);
                       });
  });
  connect(job, &Job::ended, this, &RestorePage::planned);
  bench_.read(job);
}

void RestorePage::run() {
  RestoreOptions options{.reference = label_.toStdString(),
                         .target = target_->text().toStdString(),
                         .force = replace_->isChecked(),
                         .backup = backup_->isChecked(),
                         .verify = verify_->isChecked()};
  banner_->clear();
  auto* job = restoreJob(bench_.store(), options);
  restoring_ = job;
  restoreButton_->setEnabled(false);
  showProgress(job, progress_, progressText_);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::cancelled, this, [this] {
    banner_->showNotice(Banner::Kind::Notice, tr("Cancelled: the target is as it was."));
  });
  connect(job, &Job::finished, this, [this, job, target = target_->text()] {
    const RestoreReport& report = job->report();
    const auto folder =
        report.files.empty() ? std::string() : report.files.front().parent_path().string();
    banner_->showNotice(
        Banner::Kind::Good, tr("Restored %1 to %2").arg(label_, target),
        tr("%1 in %2 s%3")
                .arg(bytesText(report.writtenBytes), decimalText(report.seconds, 1))
                .arg(report.comparedSha256 ? tr(", SHA-256 compared") : QString()) +
            (report.modesAreKnown ? QString()
                                  : tr("; its permissions are lost, so it is yours alone")));
    banner_->addAction(tr("Open in Netron"), [this, target] { openInNetron(target, *banner_); });
    banner_->addAction(tr("Copy path"), [this, target] { bench_.copy(target, target); });
    banner_->addAction(tr("Open folder"), [this, folder] {
      openOutside(QUrl::fromLocalFile(exactText(folder)), *banner_);
    });
    emit restored(target);
  });
  connect(job, &Job::ended, this, [this] {
    restoring_.clear();
    restoreButton_->setEnabled(true);
  });
  bench_.write(job);
}

}  // namespace strata::gui
