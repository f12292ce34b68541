#include "gui/pages/add_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <string>
#include <string_view>

#include "core/text/model_endings.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/base_chooser.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/job_progress.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/panes/add_result.h"
#include "gui/widgets/views/fact_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// A name for a model: its file's, without what its kind adds.
QString nameFrom(const QString& path) {
  const std::string stem = path.section(u'/', -1, -1, QString::SectionSkipEmpty).toStdString();
  const std::string_view name = withoutModelEnding(stem);
  return plainName(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
}

}  // namespace

AddPage::AddPage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      path_(new QLineEdit),
      factsLine_(new QLabel),
      bases_(new BaseChooser),
      name_(new QLineEdit),
      nameHint_(new QLabel),
      note_(new QLineEdit),
      tags_(new QLineEdit),
      profile_(new QComboBox),
      maxError_(new QLineEdit),
      maxErrorLabel_(new QLabel(tr("Error at most"))),
      evaluator_(new QLineEdit),
      evaluatorLabel_(new QLabel(tr("Evaluator"))),
      estimate_(new QLabel),
      estimateButton_(new QPushButton(tr("Estimate"))),
      tuneButton_(new QPushButton(tr("Edit and preview..."))),
      addButton_(new QPushButton(icon(QStringLiteral("add")), tr("Add version"))),
      cancelButton_(new QPushButton(tr("Cancel"))),
      progress_(new QProgressBar),
      progressText_(new QLabel),
      result_(new FactList(tr("Result"))) {
  auto* title = new QLabel(tr("Add version"));
  makeTitle(*title);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  progress_->setAccessibleName(tr("Progress of adding"));
  auto* column = new QWidget;
  auto* inside = new QVBoxLayout(column);
  inside->setSpacing(12);
  inside->addWidget(title);
  inside->addLayout(makeForm());
  inside->addLayout(makeButtons());
  inside->addWidget(progress_);
  inside->addWidget(progressText_);
  inside->addWidget(banner_);
  inside->addWidget(result_, 100);
  inside->addStretch(1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addLayout(inTheMiddle(column, 1000), 1);
  setProfiles({QStringLiteral("exact")});
  updateButtons();
  progress_->hide();
  result_->setFlush();
  result_->hide();
}

QFormLayout* AddPage::makeForm() {
  path_->setAccessibleName(tr("File"));
  path_->setPlaceholderText(tr("Drop a model here, choose one, or type its path"));
  name_->setAccessibleName(tr("Name"));
  note_->setAccessibleName(tr("Note"));
  note_->setPlaceholderText(tr("what is different: lr 2e-5, 3 epochs"));
  tags_->setAccessibleName(tr("Tags"));
  tags_->setPlaceholderText(tr("prod, lab"));
  nameChoice(*profile_, tr("Profile"));
  maxError_->setAccessibleName(tr("Error at most"));
  maxError_->setPlaceholderText(
      tr("relative, such as %1; empty: as the profile says. What misses it is not stored")
          .arg(decimalText(0.03, 2)));
  evaluator_->setAccessibleName(tr("Evaluator"));
  evaluator_->setPlaceholderText(
      tr("a command that scores a model; empty: quality is not measured"));
  estimate_->setWordWrap(true);
  auto* browse = new QPushButton(tr("Browse..."));
  auto* profileRow = lineOf({profile_, tuneButton_, estimateButton_});
  profileRow->addWidget(estimate_, 1);
  auto* nameRow = lineOf({name_, nameHint_});
  nameRow->setStretch(0, 1);
  nameRow->setStretch(1, 1);
  QFormLayout* form = makePageForm();
  form->addRow(tr("File"), lineOf({path_, browse}));
  form->addRow(QString(), factsLine_);
  form->addRow(tr("Base"), bases_);
  form->addRow(tr("Name"), nameRow);
  form->addRow(tr("Note"), note_);
  form->addRow(tr("Tags"), tags_);
  form->addRow(tr("Profile"), profileRow);
  form->addRow(maxErrorLabel_, maxError_);
  form->addRow(evaluatorLabel_, evaluator_);
  connect(browse, &QPushButton::clicked, this, &AddPage::chooseFile);
  connect(path_, &QLineEdit::editingFinished, this, [this] {
    const QString typed = path_->text().trimmed();
    if (path_->isModified() && !typed.isEmpty() && !adding_) inspect(typed);
  });
  connect(name_, &QLineEdit::textChanged, this, &AddPage::updateName);
  connect(&bench_.session(), &StoreSession::listed, this, &AddPage::updateName);
  connect(bases_, &BaseChooser::changed, this, &AddPage::forgetOutcome);
  connect(profile_, &QComboBox::currentIndexChanged, this, &AddPage::forgetOutcome);
  connect(estimateButton_, &QPushButton::clicked, this, &AddPage::estimate);
  connect(tuneButton_, &QPushButton::clicked, this, [this] { emit bench_.tune(facts_.path); });
  return form;
}

QHBoxLayout* AddPage::makeButtons() {
  addButton_->setDefault(true);
  auto* promise =
      new QLabel(tr("The original file is read only; Strata will not move or delete it."));
  auto* command = new CommandButton(bench_, [this] { return QStringList{commandLine()}; });
  auto* buttons = lineOf({promise, command, cancelButton_, addButton_});
  buttons->setStretch(0, 1);
  connect(addButton_, &QPushButton::clicked, this, [this] { add(); });
  connect(cancelButton_, &QPushButton::clicked, this, [this] {
    if (adding_) return adding_->cancel();
    emit closed();
  });
  return buttons;
}

void AddPage::setProfiles(const QStringList& names) {
  const QString kept = profile_->currentText();
  profile_->clear();
  profile_->addItems(names);
  setProfile(kept);
}

void AddPage::setProfile(const QString& name) {
  const int place = profile_->findText(name);
  profile_->setCurrentIndex(place < 0 ? 0 : place);
}

void AddPage::chooseFile() {
  auto* dialog = new QFileDialog(
      this, tr("Add a model"), {},
      tr("Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json);;"
         "All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &AddPage::begin);
  dialog->open();
}

void AddPage::begin(const QStringList& paths) {
  if (adding_) {
    waiting_ += paths;
    return;
  }
  waiting_ = paths;
  if (!waiting_.isEmpty()) inspect(waiting_.takeFirst());
}

void AddPage::inspect(const QString& path) {
  banner_->clear();
  result_->hide();
  facts_ = {};
  path_->setText(path);
  factsLine_->setText(tr("Reading..."));
  forgetOutcome();
  name_->clear();
  note_->clear();
  tags_->clear();
  bases_->setFacts({});
  updateButtons();
  auto* job = inspectJob(bench_.store(), path);
  inspecting_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job == inspecting_) showFacts(job->report());
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != inspecting_) return;
    factsLine_->clear();
    banner_->showProblem(
        problem.ofForeignData(tr("The file is damaged or not complete: get it again.")));
    emit inspected();
  });
  bench_.read(job);
}

void AddPage::showFacts(const ModelFacts& facts) {
  facts_ = facts;
  QString line = tr("%1, %2, %3, %4")
                     .arg(bytesText(facts.byteCount), facts.format,
                          tr("%n file(s)", nullptr, static_cast<int>(facts.fileCount)),
                          tr("%n tensor(s)", nullptr, static_cast<int>(facts.tensorCount)));
  if (!waiting_.isEmpty()) {
    line += tr("; %n more to add after this", nullptr, static_cast<int>(waiting_.size()));
  }
  factsLine_->setText(line);
  name_->setText(nameFrom(facts.path));
  bases_->setFacts(facts);
  updateName();
  updateButtons();
  emit inspected();
}

void AddPage::updateName() {
  const std::string wanted = name_->text().toStdString();
  std::uint32_t last = 0;
  if (const SnapshotPtr& snapshot = bench_.session().snapshot()) {
    for (const ListRow& row : snapshot->rows) {
      if (row.version.name == wanted) last = std::max(last, row.version.number);
    }
  }
  nameHint_->setText(wanted.empty() ? QString()
                     : last == 0    ? tr("a new name: becomes %1:v1").arg(name_->text())
                                    : tr("becomes %1:v%2").arg(name_->text()).arg(last + 1));
  updateButtons();
}

void AddPage::forgetOutcome() {
  if (estimating_) estimating_->cancel();
  estimating_.clear();
  estimate_->clear();
  if (!adding_) {
    result_->hide();
    banner_->clear();
  }
  bases_->setExact(profile_->currentText() == QStringLiteral("exact"));
  updateButtons();
}

void AddPage::updateButtons() {
  const bool isReady = !facts_.path.isEmpty() && !name_->text().isEmpty() && !adding_;
  const bool isBase = bases_->isNone();
  const bool isExact = profile_->currentText() == QStringLiteral("exact");
  addButton_->setEnabled(isReady);
  addButton_->setText(isBase ? tr("Add base") : tr("Add version"));
  profile_->setEnabled(!isBase);
  tuneButton_->setEnabled(isReady && !isBase);
  estimateButton_->setEnabled(isReady && !estimating_ && (isExact || isBase));
  for (QWidget* one :
       std::initializer_list<QWidget*>{maxErrorLabel_, maxError_, evaluatorLabel_, evaluator_}) {
    one->setVisible(!isExact && !isBase);
  }
}

AddRequest AddPage::request() const {
  AddRequest wanted;
  wanted.path = facts_.path;
  wanted.profile = profile_->currentText();
  wanted.options.name = name_->text().toStdString();
  wanted.options.note = note_->text().toStdString();
  const QStringList tags = tags_->text().split(u',', Qt::SkipEmptyParts);
  for (const QString& tag : tags) wanted.options.tags.push_back(tag.trimmed().toStdString());
  if (maxError_->isVisibleTo(this)) {
    const QString error = maxError_->text().trimmed();
    if (!error.isEmpty()) wanted.target = QStringLiteral("error=") + plainNumber(error);
    wanted.evaluator = evaluator_->text().trimmed();
  }
  wanted.isBase = bases_->isNone();
  if (!wanted.isBase) {
    wanted.options.baseChoice = BaseChoice::Reference;
    wanted.options.base = bases_->base().toStdString();
  }
  return wanted;
}

QString AddPage::commandLine() const {
  if (facts_.path.isEmpty()) return {};
  const AddRequest wanted = request();
  CommandText command =
      bench_.command(wanted.isBase ? QStringLiteral("import") : QStringLiteral("add"));
  if (wanted.isBase) {
    command.word(wanted.path).option(QStringLiteral("--name"), name_->text());
  } else {
    command.word(name_->text()).word(wanted.path);
    command.option(QStringLiteral("--base"), text(wanted.options.base));
    command.option(QStringLiteral("--profile"), wanted.profile);
    command.option(QStringLiteral("--target"), wanted.target);
    command.option(QStringLiteral("--evaluator"), wanted.evaluator);
  }
  for (const std::string& tag : wanted.options.tags) {
    command.option(QStringLiteral("--tag"), text(tag));
  }
  return command.option(QStringLiteral("-m"), note_->text()).text();
}

void AddPage::estimate() {
  AddRequest wanted = request();
  wanted.options.dryRun = true;
  estimate_->setText(tr("Coding it on trial..."));
  auto* job = addJob(bench_.store(), wanted);
  estimating_ = job;
  updateButtons();
  connect(job, &Job::progressed, this, [this, job](const JobProgress& progress) {
    if (job != estimating_) return;
    estimate_->setText(tr("Coding it on trial: %1").arg(shareText(progress.share())));
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != estimating_) return;
    estimate_->clear();
    banner_->showProblem(problem);
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job != estimating_ || !job->report().added) return;
    const VersionEntry& version = job->report().added->version;
    estimate_->setText(job->report().added->outcome == AddReport::Outcome::DryRun
                           ? tr("would store %1 (%2)")
                                 .arg(bytesText(version.storedBytes), ratioText(version.ratio()))
                           : tr("is stored already: nothing would be added"));
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == estimating_) estimating_.clear();
    updateButtons();
  });
  bench_.read(job);
}

void AddPage::add(std::optional<QuantizeSettings> nearest) {
  AddRequest wanted = request();
  wanted.nearest = std::move(nearest);
  banner_->clear();
  result_->hide();
  auto* job = addJob(bench_.store(), wanted);
  adding_ = job;
  showProgress(job, progress_, progressText_);
  updateButtons();
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::cancelled, this, [this] {
    banner_->showNotice(Banner::Kind::Notice, tr("Cancelled: the store is as it was."));
  });
  connect(job, &Job::finished, this, [this, job] { showOutcome(job->report()); });
  connect(job, &Job::ended, this, [this, job] {
    adding_.clear();
    updateButtons();
    const bool isStored = job->state() == Job::State::Finished && job->report().added;
    const bool goesOn = isStored && !waiting_.isEmpty();
    if (goesOn) inspect(waiting_.takeFirst());
  });
  bench_.write(job);
}

void AddPage::showOutcome(const AddOutcome& outcome) {
  result_->clear();
  result_->setVisible(outcome.added.has_value());
  if (!outcome.added) {
    const Trial* const nearest = outcome.tune->chosen();
    const QString advice =
        nearest == nullptr
            ? QString()
            : u'\n' + tr("Allow more, choose a finer profile, or store the nearest all the same.");
    banner_->showNotice(Banner::Kind::Trouble,
                        tr("Nothing was stored: no settings reach the target."),
                        missedText(outcome) + advice);
    if (nearest == nullptr) return;
    banner_->addAction(tr("Store the nearest"),
                       [this, settings = nearest->settings] { add(settings); });
    return;
  }
  const QString label = labelText(outcome.added->version);
  banner_->showNotice(Banner::Kind::Good, addedText(*outcome.added));
  banner_->addAction(tr("Details"), [this, label] { emit bench_.showVersion(label); });
  showAdded(*result_, outcome);
  emit added(label);
}

}  // namespace strata::gui
