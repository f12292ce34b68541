#include "gui/pages/tune_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/search/settings_text.h"
#include "gui/charts/chart_frame.h"
#include "gui/charts/trade_off_chart.h"
#include "gui/jobs/settings_ops.h"
#include "gui/models/command_text.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kDelayMs = 150;     // after the last edit
constexpr int kStepsPerTwo = 10;  // slider places for a factor of two
constexpr int kAsProfile = -1;    // of a spin box: what the profile says

RecordTable<Trial>* makeTrialTable(QObject* parent) {
  using Row = const Trial&;
  const auto tr = [](const char* words) { return TunePage::tr(words); };
  return new RecordTable<Trial>(
      {{tr("Trial"),
        {},
        true,
        [](Row row) { return QString::number(row.number); },
        [](Row row) { return QVariant(row.number); }},
       {tr("Stored"),
        {},
        true,
        [](Row row) { return bytesText(row.measured.storedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.measured.storedBytes)); }},
       {tr("Error"), TunePage::tr("Of the difference, relative L2"), true,
        [](Row row) { return errorText(row.measured.relativeError); },
        [](Row row) { return QVariant(row.measured.relativeError); }},
       {tr("Score"),
        {},
        true,
        [](Row row) {
          return row.measured.evaluation ? QString::number(row.measured.evaluation->score, 'f', 4)
                                         : TunePage::tr("not measured");
        },
        [](Row row) {
          return QVariant(row.measured.evaluation ? row.measured.evaluation->score : -1.0);
        }},
       {tr("Points lost"),
        {},
        true,
        [](Row row) { return row.loss ? QString::number(*row.loss, 'f', 2) : QStringLiteral("-"); },
        [](Row row) { return QVariant(row.loss.value_or(1e9)); }},
       {tr("Target"),
        {},
        false,
        [](Row row) { return row.meetsTarget ? TunePage::tr("met") : TunePage::tr("missed"); }},
       {tr("Why tried"), {}, false, [](Row row) { return text(row.what); }}},
      parent);
}

}  // namespace

TunePage::TunePage(Workbench& bench, QWidget* parent)
    : QWidget(parent), bench_(bench), banner_(new Banner) {
  auto* split = new QSplitter(Qt::Horizontal);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(makeSettings());
  scroll->setMinimumWidth(360);
  split->addWidget(scroll);
  split->addWidget(makeResults());
  split->setStretchFactor(1, 1);
  split->setSizes({400, 700});
  split->setChildrenCollapsible(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(banner_);
  all->addWidget(split, 1);

  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, [this] {
    if (live_->isChecked() && !searching_) measure();
  });
  connect(step_, &QSlider::valueChanged, this, [this](int value) {
    stepText_->setText(
        QStringLiteral("x%1").arg(std::exp2(value / double{kStepsPerTwo}), 0, 'g', 3));
    delay_.start();
  });
  connect(rank_, &QSpinBox::valueChanged, this, [this] { delay_.start(); });
  connect(prune_, &QDoubleSpinBox::valueChanged, this, [this] { delay_.start(); });
  connect(profile_, &QComboBox::currentIndexChanged, this, [this] { delay_.start(); });
  connect(targetKind_, &QComboBox::currentIndexChanged, this, [this](int kind) {
    const char* const usual[] = {"20MB", "0.02", "0.5"};
    target_->setText(QLatin1String(usual[std::clamp(kind, 0, 2)]));
    updateButtons();
  });
  for (QLineEdit* edit : {model_, target_, evaluator_, saveName_}) {
    connect(edit, &QLineEdit::textChanged, this, &TunePage::updateButtons);
  }
  connect(find_, &QPushButton::clicked, this, &TunePage::findBest);
  connect(measure_, &QPushButton::clicked, this, &TunePage::measure);
  connect(stop_, &QPushButton::clicked, this, [this] {
    if (searching_) searching_->cancel();
    if (measuring_) measuring_->cancel();
  });
  connect(save_, &QPushButton::clicked, this, &TunePage::saveProfile);
  connect(view_, &TableView::rowChanged, this, &TunePage::showTrial);
  connect(chart_, &Chart::activated, this, [this](int point) {
    const QString number = chart_->table().rows[static_cast<std::size_t>(point)].value(0);
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (tr("trial %1").arg(trials_[i].number) == number) view_->selectRow(static_cast<int>(i));
    }
  });
  showPoints();
  updateButtons();
}

QWidget* TunePage::makeSettings() {
  model_ = new QLineEdit;
  model_->setAccessibleName(tr("Model"));
  model_->setPlaceholderText(tr("the fine-tuned model to find settings for"));
  auto* browse = new QPushButton(tr("Browse..."));
  auto* modelRow = lineOf({model_, browse});
  profile_ = new QComboBox;
  profile_->setAccessibleName(tr("Profile to begin with"));
  step_ = new QSlider(Qt::Horizontal);
  step_->setRange(-3 * kStepsPerTwo, 5 * kStepsPerTwo);
  step_->setAccessibleName(tr("Step scale"));
  stepText_ = new QLabel(QStringLiteral("x1"));
  stepText_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("x0.125 ")));
  auto* stepRow = lineOf({step_, stepText_});
  rank_ = new QSpinBox;
  rank_->setRange(kAsProfile, 256);
  rank_->setValue(kAsProfile);
  rank_->setSpecialValueText(tr("as the profile"));
  rank_->setAccessibleName(tr("Rank"));
  prune_ = new QDoubleSpinBox;
  prune_->setRange(kAsProfile, 50);
  prune_->setValue(kAsProfile);
  prune_->setSuffix(QStringLiteral(" %"));
  prune_->setSpecialValueText(tr("as the profile"));
  prune_->setAccessibleName(tr("Prune"));
  live_ = new QCheckBox(tr("Measure as I edit"));
  measure_ = new QPushButton(tr("Measure"));
  auto* measureRow = lineOf({measure_, live_});
  measureRow->addStretch();
  targetKind_ = new QComboBox;
  targetKind_->setAccessibleName(tr("Kind of target"));
  targetKind_->addItem(tr("stored at most"), QStringLiteral("size"));
  targetKind_->addItem(tr("relative error at most"), QStringLiteral("error"));
  targetKind_->addItem(tr("points lost at most"), QStringLiteral("quality_loss"));
  target_ = new QLineEdit(QStringLiteral("20MB"));
  target_->setAccessibleName(tr("Target"));
  auto* targetRow = lineOf({targetKind_, target_});
  evaluator_ = new QLineEdit;
  evaluator_->setAccessibleName(tr("Evaluator"));
  evaluator_->setPlaceholderText(tr("a command that scores a model"));
  budget_ = new QSpinBox;
  budget_->setRange(1, 1000);
  budget_->setValue(static_cast<int>(kUsualTrials));
  budget_->setAccessibleName(tr("Trials at most"));
  find_ = new QPushButton(icon(QStringLiteral("star")), tr("Find best"));
  find_->setDefault(true);
  stop_ = new QPushButton(tr("Stop"));
  auto* command = new QToolButton;
  command->setIcon(icon(QStringLiteral("terminal")));
  command->setToolTip(tr("Copy as command"));
  command->setAccessibleName(tr("Copy as command"));
  auto* findRow = lineOf({find_, stop_});
  findRow->addStretch();
  findRow->addWidget(command);
  saveName_ = new QLineEdit;
  saveName_->setAccessibleName(tr("Name of the profile"));
  saveName_->setPlaceholderText(tr("name"));
  save_ = new QPushButton(tr("Save as profile"));
  auto* saveRow = lineOf({saveName_, save_});
  settings_ = new QPlainTextEdit;
  settings_->setReadOnly(true);
  settings_->setTabChangesFocus(true);
  settings_->setAccessibleName(tr("Settings of the selected trial"));
  settings_->setPlaceholderText(tr("The settings of the selected trial appear here."));
  settings_->setMinimumHeight(90);

  auto* panel = new QWidget;
  auto* form = new QFormLayout(panel);
  form->setContentsMargins(2, 2, 10, 2);
  form->setVerticalSpacing(9);
  form->setLabelAlignment(Qt::AlignLeft);
  form->addRow(tr("Model"), modelRow);
  form->addRow(tr("Profile"), profile_);
  form->addRow(tr("Step scale"), stepRow);
  form->addRow(tr("Rank"), rank_);
  form->addRow(tr("Prune"), prune_);
  form->addRow(QString(), measureRow);
  form->addRow(tr("Target"), targetRow);
  form->addRow(tr("Evaluator"), evaluator_);
  form->addRow(tr("Trials"), budget_);
  form->addRow(QString(), findRow);
  form->addRow(tr("Settings"), settings_);
  form->addRow(tr("Save"), saveRow);
  step_->setToolTip(tr("Multiplies every step: coarser is smaller and worse"));
  rank_->setToolTip(tr("Components of low rank that are kept of each matrix's difference"));
  prune_->setToolTip(tr("Share of each tensor's differences that is set to zero"));
  connect(browse, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(this, tr("A model to tune for"), {},
                                   tr("Models (*.onnx *.safetensors *.safetensors.index.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &TunePage::begin);
    dialog->open();
  });
  connect(command, &QToolButton::clicked, this,
          [this] { bench_.copy(commandLine(), tr("the command")); });
  return panel;
}

QWidget* TunePage::makeResults() {
  chart_ = new TradeOffChart;
  auto* frame = new ChartFrame(tr("Size against quality"), chart_);
  table_ = makeTrialTable(this);
  view_ = new TableView(tr("Trials"));
  view_->setRecords(table_);
  view_->setWideColumn(6);
  view_->setEmptyText(tr("Each set of settings that was tried becomes a row."));
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(6);
  progress_->setRange(0, 0);
  progress_->setAccessibleName(tr("Progress of the search"));
  progress_->hide();
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(frame);
  split->addWidget(view_);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 1);
  split->setSizes({420, 200});
  split->setChildrenCollapsible(false);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(4, 2, 2, 2);
  column->addWidget(progress_);
  column->addWidget(split, 1);
  connect(frame, &ChartFrame::exported, &bench_, &Workbench::writeFile);
  return page;
}

void TunePage::setProfiles(const std::vector<Profile>& profiles) {
  profiles_ = profiles;
  const QString kept = profile_->currentText();
  const QSignalBlocker quiet(profile_);
  profile_->clear();
  for (const Profile& profile : profiles) {
    if (profile.isExact()) continue;
    profile_->addItem(text(profile.name));
    profile_->setItemData(profile_->count() - 1, text(profile.description), Qt::ToolTipRole);
  }
  const int place = profile_->findText(kept.isEmpty() ? QStringLiteral("balanced") : kept);
  profile_->setCurrentIndex(std::max(0, place));
  updateButtons();
}

void TunePage::begin(const QString& model) {
  if (model.isEmpty() || model == model_->text()) return;
  model_->setText(model);
  trials_.clear();
  chosen_ = -1;
  showPoints();
}

void TunePage::setTarget(const QString& kind, const QString& value) {
  targetKind_->setCurrentIndex(std::max(0, targetKind_->findData(kind)));
  target_->setText(value);
}

QString TunePage::targetText() const {
  return targetKind_->currentData().toString() + u'=' + target_->text().trimmed();
}

TuneRequest TunePage::request() const {
  TuneRequest wanted;
  wanted.path = model_->text().trimmed();
  wanted.profile = profile_->currentText();
  wanted.evaluator = evaluator_->text().trimmed();
  wanted.trials = static_cast<unsigned>(budget_->value());
  if (step_->value() != 0) wanted.stepScale = std::exp2(step_->value() / double{kStepsPerTwo});
  if (rank_->value() >= 0) wanted.rule.rank = static_cast<unsigned>(rank_->value());
  if (prune_->value() >= 0) wanted.rule.pruneShare = prune_->value() / 100;
  wanted.hasRule = wanted.rule.rank || wanted.rule.pruneShare;
  return wanted;
}

QString TunePage::commandLine() const {
  const TuneRequest wanted = request();
  CommandText command(bench_.session().folder(), QStringLiteral("tune"));
  command.word(wanted.path)
      .option(QStringLiteral("--profile"), wanted.profile)
      .option(QStringLiteral("--target"), targetText())
      .option(QStringLiteral("--evaluator"), wanted.evaluator)
      .option(QStringLiteral("--trials"), QString::number(wanted.trials));
  if (wanted.stepScale)
    command.option(QStringLiteral("--step"), QString::number(*wanted.stepScale));
  if (wanted.rule.rank)
    command.option(QStringLiteral("--rank"), QString::number(*wanted.rule.rank));
  if (wanted.rule.pruneShare) {
    command.option(QStringLiteral("--prune"), QString::number(prune_->value()));
  }
  return command.text();
}

void TunePage::measure() {
  if (!bench_.store() || model_->text().isEmpty()) return;
  if (measuring_) measuring_->cancel();
  auto* job = new TuneJob(bench_.store(), request());
  measuring_ = job;
  start(job, false);
}

void TunePage::findBest() {
  if (!bench_.store() || searching_) return;
  TuneRequest wanted = request();
  wanted.target = targetText();
  if (measuring_) measuring_->cancel();
  trials_.clear();
  chosen_ = -1;
  showPoints();
  auto* job = new TuneJob(bench_.store(), wanted);
  searching_ = job;
  start(job, true);
}

void TunePage::start(TuneJob* job, bool isSearch) {
  banner_->clear();
  progress_->show();
  updateButtons();
  connect(job, &TuneJob::tried, this, [this, job](const Trial& trial) {
    if (job == searching_ || job == measuring_) addTrial(trial);
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == searching_ || job == measuring_) banner_->showProblem(problem);
  });
  connect(job, &Job::finished, this, [this, job, isSearch] {
    if (job != searching_ && job != measuring_) return;
    const TuneReport& report = job->report();
    plan_ = job->plan();
    if (!isSearch) return;
    trials_ = report.search.trials;
    const Trial* best = report.chosen();
    chosen_ = best == nullptr ? -1 : static_cast<int>(best - report.search.trials.data());
    showPoints();
    if (best == nullptr) return;
    view_->fitColumns();
    view_->selectRow(chosen_);
    const QString words =
        tr("%1 stored, error %2")
            .arg(bytesText(best->measured.storedBytes), errorText(best->measured.relativeError));
    if (report.meetsTarget()) {
      banner_->showNotice(Banner::Kind::Good, tr("Trial %1 meets the target").arg(best->number),
                          words);
    } else {
      banner_->showNotice(
          Banner::Kind::Trouble,
          tr("Nothing reached the target; trial %1 comes nearest").arg(best->number), words);
    }
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == searching_) searching_.clear();
    if (job == measuring_) measuring_.clear();
    progress_->setVisible(searching_ || measuring_);
    updateButtons();
    emit ended();
  });
  bench_.read(job);
}

void TunePage::addTrial(const Trial& trial) {
  trials_.push_back(trial);
  if (!searching_) trials_.back().number = static_cast<unsigned>(trials_.size());
  showPoints();
}

void TunePage::showPoints() {
  const bool isScored = std::any_of(trials_.begin(), trials_.end(),
                                    [](const Trial& trial) { return trial.loss.has_value(); });
  std::vector<TradeOffPoint> points;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i];
    if (!trial.failure.empty() || (isScored && !trial.loss)) continue;
    points.push_back({tr("trial %1").arg(trial.number), trial.measured.storedBytes,
                      isScored ? *trial.loss : trial.measured.relativeError, trial.loss.has_value(),
                      false, static_cast<int>(i) == chosen_});
  }
  for (TradeOffPoint& point : points) {
    point.isOnFrontier =
        std::none_of(points.begin(), points.end(), [&](const TradeOffPoint& other) {
          return other.storedBytes <= point.storedBytes && other.loss <= point.loss &&
                 (other.storedBytes < point.storedBytes || other.loss < point.loss);
        });
  }
  std::optional<double> loss;
  std::optional<std::uint64_t> bytes;
  SearchTarget target;
  if (parseTarget(targetText().toStdString(), target)) {
    bytes = target.bytes;
    if (isScored && target.qualityLoss) loss = target.qualityLoss;
    if (!isScored && target.error) loss = target.error;
  }
  chart_->setPoints(std::move(points), isScored ? tr("points lost") : tr("relative error"), loss,
                    bytes);
  table_->updateRows(trials_);
}

void TunePage::showTrial(int row) {
  if (row < 0 || row >= static_cast<int>(trials_.size())) return;
  QString words = text(settingsText(trials_[static_cast<std::size_t>(row)].settings));
  settings_->setPlainText(words.replace(QStringLiteral("; "), QStringLiteral("\n")));
  updateButtons();
}

void TunePage::saveProfile() {
  const int row = view_->currentRow() < 0 ? chosen_ : view_->currentRow();
  if (row < 0) return;
  QualityPlan plan = plan_;
  plan.quantize = trials_[static_cast<std::size_t>(row)].settings;
  plan.method = SearchMethod::Fixed;
  Profile profile{.name = saveName_->text().toStdString()};
  const std::string file = model_->text().section(u'/', -1).toStdString();
  profile.text = qualityProfileText("lossy: tuned on " + file, plan);
  auto* job = saveProfileJob(profile, Replace::No);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const QString name = text(job->report().name);
    banner_->showNotice(Banner::Kind::Good, tr("Saved profile %1").arg(name),
                        text(job->report().file.string()));
    emit profileSaved(name);
  });
  bench_.read(job);
}

void TunePage::updateButtons() {
  const bool isBusy = searching_ || measuring_;
  const bool isReady = !model_->text().trimmed().isEmpty() && profile_->count() > 0;
  find_->setEnabled(isReady && !searching_ && !target_->text().trimmed().isEmpty());
  measure_->setEnabled(isReady && !searching_);
  stop_->setEnabled(isBusy);
  save_->setEnabled(!saveName_->text().isEmpty() && !trials_.empty() && !isBusy);
}

}  // namespace strata::gui
