#include "gui/pages/tune_page.h"

#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QThreadPool>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/search/settings_text.h"
#include "core/text/wording.h"
#include "gui/charts/trade_off_chart.h"
#include "gui/jobs/settings_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/panes/tune_form.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// How long a model stays open after its last preview: a program that writes to it in place would
/// pull its pages away.
constexpr int kHoldMs = 20'000;

/// "Sampled 12 of 104 tensors in 0.4 s. Worst: a .041, b .038".
QString previewText(const EstimateReport& report) {
  const SampledEstimate& estimate = report.estimate;
  QString words = TunePage::tr("%1, error %2. Sampled %3 of %4 tensors in %5.")
                      .arg(bytesText(static_cast<std::uint64_t>(estimate.storedBytes.value)),
                           errorText(estimate.relativeError.value))
                      .arg(estimate.sampledTensors)
                      .arg(estimate.tensorCount)
                      .arg(numberText(wordElapsed(report.seconds)).replace(u' ', QChar::Nbsp));
  QStringList worst;
  for (const SampledEstimate::Tensor& tensor : estimate.worst) {
    worst << text(tensor.name) + u' ' + errorText(tensor.relativeError);
  }
  if (worst.isEmpty()) return words;
  return words + u'\n' + TunePage::tr("Worst: %1").arg(worst.join(QStringLiteral(", ")));
}

/// An error of the weights says nothing on a scale of scores.
TradeOffPoint previewPoint(const SampledEstimate& estimate, bool isScored) {
  const auto bytes = [](double value) { return static_cast<std::uint64_t>(value); };
  TradeOffPoint point{.name = TunePage::tr("preview"),
                      .storedBytes = bytes(estimate.storedBytes.value)};
  if (!isScored) point.loss = estimate.relativeError.value;
  point.band = TradeOffBand{bytes(estimate.storedBytes.low), bytes(estimate.storedBytes.high),
                            estimate.relativeError.low, estimate.relativeError.high};
  return point;
}

}  // namespace

TunePage::TunePage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      release_(new QTimer(this)),
      banner_(new Banner),
      form_(new TuneForm) {
  auto* split = new QSplitter(Qt::Horizontal);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(form_);
  scroll->setMinimumWidth(360);
  split->addWidget(scroll);
  split->addWidget(makeResults());
  split->setStretchFactor(1, 1);
  split->setSizes({400, 700});
  split->setChildrenCollapsible(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(split, 1);
  all->addWidget(banner_);

  release_->setSingleShot(true);
  release_->setInterval(kHoldMs);
  connect(release_, &QTimer::timeout, this, [this] {
    // Unmapping a large model takes a moment: not on this thread.
    QThreadPool::globalInstance()->start([held = std::move(source_)]() mutable { held.reset(); });
    source_.reset();
  });
  connect(form_, &TuneForm::edited, this, &TunePage::preview);
  connect(form_, &TuneForm::outdated, this, &TunePage::forgetPreview);
  connect(form_, &TuneForm::copyPreviewRequested, this, [this] {
    bench_.copy(form_->previewCommand(bench_.session().folder()), tr("the command"));
  });
  connect(form_, &TuneForm::measureRequested, this, &TunePage::measure);
  connect(form_, &TuneForm::findRequested, this, &TunePage::findBest);
  connect(form_, &TuneForm::targetChanged, this, &TunePage::showPoints);
  connect(form_, &TuneForm::stopRequested, this, [this] {
    if (searching_) searching_->cancel();
    if (measuring_) measuring_->cancel();
    if (previewing_) previewing_->cancel();
  });
  connect(form_, &TuneForm::copyRequested, this, [this] {
    bench_.copy(form_->commandLine(bench_.session().folder()), tr("the command"));
  });
  connect(form_, &TuneForm::saveRequested, this, &TunePage::saveProfile);
  connect(view_, &TableView::rowChanged, this, &TunePage::showTrial);
  connect(chart_, &Chart::activated, this, [this](int point) {
    const QString number = chart_->table().rows[static_cast<std::size_t>(point)].value(0);
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (tr("trial %1").arg(trials_[i].number) == number) view_->selectRow(static_cast<int>(i));
    }
  });
  showPoints();
  updateState();
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
  keepRoom(*progress_);
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
  form_->setProfiles(profiles);
  if (!preview_ && !previewing_ && form_->isLive()) preview();
}

void TunePage::begin(const QString& model) {
  if (model.isEmpty() || model == form_->model()) return;
  form_->setModel(model);
  forgetTrials();
  forgetPreview();
  if (form_->isLive()) preview();
}

void TunePage::protect(const QString& tensor) { form_->protect({tensor}); }

void TunePage::setTarget(const QString& kind, const QString& value) {
  form_->setTarget(kind, value);
}

void TunePage::forgetTrials() {
  trials_.clear();
  chosen_ = -1;
  showPoints();
}

void TunePage::forgetPreview() {
  if (previewing_) previewing_->cancel();
  previewing_.clear();
  form_->showPreview({});
  if (!preview_) return;
  preview_.reset();
  showPoints();
}

void TunePage::preview() {
  const TuneRequest request = form_->request();
  if (request.path.isEmpty() || request.profile.isEmpty()) return;
  if (previewing_) previewing_->cancel();
  auto* job = previewJob(bench_.store(), request, source_);
  previewing_ = job;
  release_->stop();
  form_->showPreview(tr("Coding a sample of the weights..."));
  connect(job, &Job::finished, this, [this, job] {
    source_ = job->report().source;
    if (job != previewing_) return;
    if (std::exchange(isPreviewTold_, false)) banner_->clear();
    showPreview(job->report());
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != previewing_) return;
    form_->showPreview({});
    banner_->showProblem(problem);
    isPreviewTold_ = true;
  });
  connect(job, &Job::ended, this, [this, job] {
    release_->start();
    if (job != previewing_) return;
    previewing_.clear();
    if (!preview_) form_->showPreview({});
    updateState();
    emit previewed();
  });
  updateState();
  bench_.read(job);
}

void TunePage::showPreview(const Preview& preview) {
  preview_ = preview;
  preview_->source.reset();
  QStringList worst;
  for (const SampledEstimate::Tensor& tensor : preview.report.estimate.worst) {
    if (tensor.relativeError > 0) worst << text(tensor.name);
  }
  form_->showPreview(previewText(preview.report), worst);
  showPoints();
}

void TunePage::measure() {
  if (form_->model().isEmpty()) return;
  if (measuring_) measuring_->cancel();
  auto* job = new TuneJob(bench_.store(), form_->request());
  measuring_ = job;
  start(job);
}

void TunePage::findBest() {
  if (searching_) return;
  TuneRequest wanted = form_->request();
  wanted.target = form_->target();
  countedName_ = wanted.saveAs.isEmpty() ? QStringLiteral("custom") : wanted.saveAs;
  if (measuring_) measuring_->cancel();
  forgetTrials();
  auto* job = new TuneJob(bench_.store(), wanted);
  searching_ = job;
  start(job);
}

void TunePage::start(TuneJob* job) {
  banner_->clear();
  isPreviewTold_ = false;
  updateState();
  const auto isCurrent = [this, job] { return job == searching_ || job == measuring_; };
  connect(job, &TuneJob::tried, this, [this, isCurrent](const Trial& trial) {
    if (isCurrent()) addTrial(trial);
  });
  connect(job, &Job::failed, this, [this, isCurrent](const Problem& problem) {
    if (isCurrent()) banner_->showProblem(problem);
  });
  connect(job, &Job::finished, this, [this, job, isCurrent] {
    if (!isCurrent()) return;
    plan_ = job->plan();
    if (job == searching_) conclude(job->report());
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == searching_) searching_.clear();
    if (job == measuring_) measuring_.clear();
    updateState();
    emit ended();
  });
  bench_.read(job);
}

void TunePage::conclude(const TuneReport& report) {
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
    banner_->showNotice(Banner::Kind::Trouble,
                        tr("Nothing reached the target; trial %1 comes nearest").arg(best->number),
                        words);
  }
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
    points.push_back({.name = tr("trial %1").arg(trial.number),
                      .storedBytes = trial.measured.storedBytes,
                      .loss = isScored ? *trial.loss : trial.measured.relativeError,
                      .isChosen = static_cast<int>(i) == chosen_});
  }
  for (TradeOffPoint& point : points) {
    point.isOnFrontier =
        std::none_of(points.begin(), points.end(), [&](const TradeOffPoint& other) {
          return other.storedBytes <= point.storedBytes && *other.loss <= *point.loss &&
                 (other.storedBytes < point.storedBytes || *other.loss < *point.loss);
        });
  }
  if (preview_) points.push_back(previewPoint(preview_->report.estimate, isScored));
  std::optional<double> loss;
  std::optional<std::uint64_t> bytes;
  SearchTarget target;
  if (parseTarget(form_->target().toStdString(), target)) {
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
  form_->showSettings(words.replace(QStringLiteral("; "), QStringLiteral("\n")));
  updateState();
}

void TunePage::saveProfile(const QString& name) {
  const int row = view_->currentRow() < 0 ? chosen_ : view_->currentRow();
  if (row < 0) return;
  const Trial& trial = trials_[static_cast<std::size_t>(row)];
  // The version's manifest has the name of its profile in it.
  const qsizetype more =
      std::max<qsizetype>(0, name.toUtf8().size() - countedName_.toUtf8().size());
  const std::uint64_t stored = trial.measured.storedBytes + static_cast<std::uint64_t>(more);
  if (more > 0 && plan_.target.bytes && trial.measured.storedBytes <= *plan_.target.bytes &&
      stored > *plan_.target.bytes) {
    banner_->showNotice(
        Banner::Kind::Trouble, tr("With so long a name the version misses the target"),
        tr("It would take %1, at most %2 are wanted: its profile's name is stored with it. Choose "
           "a shorter name, or find the best again with this one.")
            .arg(exactBytesText(stored), exactBytesText(*plan_.target.bytes)));
    return;
  }
  QualityPlan plan = plan_;
  plan.quantize = trial.settings;
  plan.method = SearchMethod::Fixed;
  Profile profile{.name = name.toStdString()};
  const std::string file = form_->model().section(u'/', -1).toStdString();
  profile.text = qualityProfileText("lossy: tuned on " + file, plan);
  auto* job = saveProfileJob(profile, Replace::No);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const QString saved = text(job->report().name);
    banner_->showNotice(Banner::Kind::Good, tr("Saved profile %1").arg(saved),
                        text(job->report().file.string()));
    emit profileSaved(saved);
  });
  bench_.read(job);
}

void TunePage::updateState() {
  progress_->setVisible(searching_ || measuring_);
  form_->setState({.isSearching = !searching_.isNull(),
                   .isMeasuring = !measuring_.isNull(),
                   .isPreviewing = !previewing_.isNull(),
                   .hasTrials = !trials_.empty()});
}

}  // namespace strata::gui
