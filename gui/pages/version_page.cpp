#include "gui/pages/version_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/charts/histogram_chart.h"
#include "gui/charts/layer_chart.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/layer_bits.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/fact_list.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

VersionPage::VersionPage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      tabs_(new QTabWidget),
      overview_(new FactList(tr("Overview"))),
      quality_(new FactList(tr("Quality"))),
      layers_(new LayerChart),
      historyTable_(makeVersionTable(this)),
      historyView_(new TableView(tr("History"))),
      metadataView_(new TableView(tr("Metadata"))) {
  using Pair = const std::pair<QString, QString>&;
  metadataTable_ = new RecordTable<std::pair<QString, QString>>(
      {{tr("Key"), {}, false, [](Pair pair) { return pair.first; }},
       {tr("Value"), {}, false, [](Pair pair) { return pair.second; }}},
      this);
  metadataTable_->setFilterText([](Pair pair) { return pair.first + u' ' + pair.second; });
  historyView_->setRecords(historyTable_);
  historyView_->keepPlace();
  metadataView_->setRecords(metadataTable_);
  metadataView_->setWideColumn(1);
  metadataView_->setEmptyText(tr("The model says nothing of itself."));
  auto* layerFrame = new ChartFrame(tr("Stored bits per element, by layer"), layers_);
  layerFrame->setContentsMargins(8, 8, 8, 8);

  tabs_->setDocumentMode(true);
  tabs_->addTab(overview_, tr("Overview"));
  tabs_->addTab(makeTensorTab(), tr("Tensors"));
  tabs_->addTab(makeDistributionTab(), tr("Distribution"));
  tabs_->addTab(layerFrame, tr("Bits"));
  tabs_->addTab(quality_, tr("Quality"));
  tabs_->addTab(historyView_, tr("History"));
  tabs_->addTab(metadataView_, tr("Metadata"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(makeHeader());
  all->addWidget(tabs_, 1);
  all->addWidget(banner_);

  connect(historyView_, &TableView::rowActivated, this,
          [this](int row) { emit bench_.showVersion(labelText(historyTable_->row(row).version)); });
  connect(layerFrame, &ChartFrame::exported, &bench_, &Workbench::writeFile);
  connect(&bench_.session(), &StoreSession::listed, this, &VersionPage::follow);
}

QWidget* VersionPage::makeHeader() {
  auto* header = new QWidget;
  auto* back = new QToolButton;
  back->setIcon(icon(QStringLiteral("back")));
  back->setAutoRaise(true);
  back->setToolTip(tr("Back to the library (Alt+1)"));
  back->setAccessibleName(tr("Back to the library"));
  title_ = new QLabel;
  makeTitle(*title_);
  subtitle_ = new QLabel;
  subtitle_->setAccessibleName(tr("In short"));
  subtitle_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  compare_ = new QPushButton(icon(QStringLiteral("compare")), tr("Compare with base"));
  restore_ = new QPushButton(icon(QStringLiteral("restore")), tr("Restore..."));
  auto* copy = new CommandButton(bench_, [this] {
    const auto show = [this] { return bench_.command(QStringLiteral("show")).word(label_); };
    return QStringList{
        show().text(), show().flag(QStringLiteral("--tensors"), true).text(),
        bench_.command(QStringLiteral("log")).word(label_.section(u':', 0, 0)).text()};
  });
  auto* line = new QHBoxLayout(header);
  line->setContentsMargins(6, 6, 8, 6);
  line->addWidget(back);
  line->addWidget(title_);
  line->addSpacing(10);
  line->addWidget(subtitle_, 1);
  line->addWidget(copy);
  line->addWidget(compare_);
  line->addWidget(restore_);
  connect(back, &QToolButton::clicked, this, &VersionPage::back);
  connect(compare_, &QPushButton::clicked, this, [this] { emit bench_.compare({}, label_); });
  connect(restore_, &QPushButton::clicked, this, [this] { emit bench_.restore(label_); });
  return header;
}

QWidget* VersionPage::makeTensorTab() {
  tensorTable_ = makeTensorTable(this);
  tensorView_ = new TableView(tr("Tensors"));
  tensorView_->setRecords(tensorTable_);
  tensorView_->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* filter = new FilterEdit(tr("Filter by name, role, state or codec"));
  tensorCounts_ = new QLabel;
  kindBox_ = new QComboBox;
  nameChoice(*kindBox_, tr("Role"));
  kindBox_->addItem(tr("All roles"), -1);
  for (int i = 0; i <= static_cast<int>(TensorKind::Head); ++i) {
    kindBox_->addItem(text(name(static_cast<TensorKind>(i))), i);
  }
  changedOnly_ = new QCheckBox(tr("Only changed"));
  auto* bar = new QHBoxLayout;
  bar->addWidget(filter, 1);
  bar->addWidget(kindBox_);
  bar->addWidget(changedOnly_);
  bar->addWidget(tensorCounts_);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 8, 8, 8);
  column->addLayout(bar);
  column->addWidget(tensorView_, 1);
  const auto narrow = [this] {
    const int kind = kindBox_->currentData().toInt();
    const bool onlyChanged = changedOnly_->isChecked();
    tensorView_->proxy()->setCondition([this, kind, onlyChanged](int number) {
      const TensorRow& row = tensorTable_->row(number);
      return (kind < 0 || static_cast<int>(row.kind) == kind) &&
             (!onlyChanged || row.state == TensorState::Changed);
    });
  };
  connect(filter, &FilterEdit::filterChanged, tensorView_, &TableView::setFilter);
  filter->serve(tensorView_);
  connect(kindBox_, &QComboBox::currentIndexChanged, this, narrow);
  connect(changedOnly_, &QCheckBox::toggled, this, narrow);
  connect(tensorView_, &QWidget::customContextMenuRequested, this, &VersionPage::tensorMenu);
  connect(tensorView_, &TableView::rowActivated, this, [this](int row) {
    openTensor(exactText(tensorTable_->row(row).name));
    showTab(Distribution);
  });
  return page;
}

QWidget* VersionPage::makeDistributionTab() {
  tensorBox_ = new QComboBox;
  tensorBox_->setEditable(true);
  tensorBox_->setInsertPolicy(QComboBox::NoInsert);
  tensorBox_->completer()->setFilterMode(Qt::MatchContains);
  tensorBox_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  nameChoice(*tensorBox_, tr("Tensor"));
  tensorBox_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  auto* logarithmic = new QCheckBox(tr("Logarithmic counts"));
  values_ = new HistogramChart;
  values_->setAccessibleName(tr("Distribution of values"));
  change_ = new HistogramChart;
  change_->setAccessibleName(tr("Distribution of changes"));
  auto* valuesFrame = new ChartFrame(tr("Values"), values_);
  auto* changeFrame = new ChartFrame(tr("Change to the parent"), change_);
  auto* charts = new QSplitter(Qt::Horizontal);
  charts->addWidget(valuesFrame);
  charts->addWidget(changeFrame);
  charts->setChildrenCollapsible(false);
  auto* bar = new QHBoxLayout;
  bar->addWidget(new QLabel(tr("Tensor")));
  bar->addWidget(tensorBox_, 1);
  bar->addWidget(logarithmic);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 8, 8, 8);
  column->addLayout(bar);
  column->addWidget(charts, 1);
  connect(tensorBox_, &QComboBox::activated, this,
          [this](int place) { openTensor(tensorBox_->itemData(place).toString()); });
  connect(logarithmic, &QCheckBox::toggled, values_, &HistogramChart::setLogarithmic);
  connect(logarithmic, &QCheckBox::toggled, change_, &HistogramChart::setLogarithmic);
  for (ChartFrame* frame : {valuesFrame, changeFrame}) {
    connect(frame, &ChartFrame::exported, &bench_, &Workbench::writeFile);
  }
  return page;
}

void VersionPage::focusTabs() { tabs_->setFocus(Qt::OtherFocusReason); }

void VersionPage::showTab(Tab tab) { tabs_->setCurrentIndex(tab); }

void VersionPage::open(const QString& label) {
  label_ = label;
  shown_.reset();
  title_->setText(label);
  subtitle_->clear();
  banner_->clear();
  tensorTable_->setRows({});
  overview_->clear();
  if (reading_) reading_->cancel();
  auto* job = showJob(bench_.store(), label);
  reading_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job == reading_) showReport(job->report());
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != reading_) return;
    offerActions(false);
    banner_->showProblem(problem);
  });
  bench_.read(job);
}

void VersionPage::follow() {
  showHistory();
  if (reading_ || !shown_ || shown_->label() != label_.toStdString()) return;
  for (const ListRow& row : bench_.session().snapshot()->rows) {
    const VersionEntry& now = row.version;
    const bool isAnother = now.note != shown_->note || now.tags != shown_->tags ||
                           now.manifestDigest != shown_->manifestDigest ||
                           now.sourceUrl != shown_->sourceUrl;
    if (now.label() == shown_->label() && isAnother) return open(label_);
  }
}

void VersionPage::offerActions(bool isThere) {
  compare_->setEnabled(isThere);
  restore_->setEnabled(isThere);
}

void VersionPage::showReport(const ShowReport& report) {
  offerActions(true);
  const VersionEntry& version = report.version;
  shown_ = version;
  QStringList parts{hashText(version.contentDigest)};
  parts << (version.isBase() ? tr("base") : tr("base %1").arg(text(report.baseLabel)));
  parts << fidelityText(version) << dateText(version.addedAt);
  subtitle_->setText(parts.join(QStringLiteral("   ")));
  tensors_ = report.tensors;
  tensorTable_->setRows(tensors_);
  tensorCounts_->setText(version.isBase()
                             ? tr("%n tensor(s)", nullptr, static_cast<int>(version.tensorCount))
                             : tr("%n tensor(s): %1 changed, %2 same, %3 new", nullptr,
                                  static_cast<int>(version.tensorCount))
                                   .arg(version.changedTensors)
                                   .arg(version.sameTensors)
                                   .arg(version.newTensors));
  tensorBox_->clear();
  for (const TensorRow& tensor : tensors_) {
    tensorBox_->addItem(text(tensor.name), exactText(tensor.name));
  }
  tensorBox_->setCurrentIndex(-1);
  values_->setHistogram({}, {});
  change_->setHistogram({}, {});
  layers_->setLayers(bitsByLayer(tensors_));
  showOverview(report);
  showQuality(report);
  showHistory();
  std::vector<std::pair<QString, QString>> metadata;
  for (const auto& [key, value] : report.metadata) metadata.emplace_back(text(key), text(value));
  metadataTable_->setRows(std::move(metadata));
  emit shown();
}

void VersionPage::showHistory() {
  std::vector<ListRow> rows;
  if (const SnapshotPtr& snapshot = bench_.session().snapshot()) {
    const std::string name = label_.section(u':', 0, 0).toStdString();
    for (const ListRow& row : snapshot->rows) {
      if (row.version.name == name) rows.push_back(row);
    }
  }
  historyTable_->setRows(std::move(rows));
}

void VersionPage::openTensor(const QString& tensor) {
  tensorBox_->setCurrentIndex(tensorBox_->findData(tensor));
  if (histogram_) histogram_->cancel();
  values_->setHistogram(tr("Reading %1...").arg(text(tensor.toStdString())), {});
  change_->setHistogram(QString(), {});
  auto* job = histogramJob(
      bench_.store(),
      {.reference = label_.toStdString(), .tensor = tensor.toStdString(), .binCount = 64});
  histogram_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job != histogram_) return;
    const HistogramReport& report = job->report();
    values_->setHistogram(text(report.tensor), report.values);
    change_->setHistogram(report.change ? tr("against %1").arg(text(report.parentTensor))
                                        : tr("There is no parent's tensor to compare with."),
                          report.change);
    emit distributionShown();
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != histogram_) return;
    values_->setHistogram(problem.why, {});
    change_->setHistogram(tr("There are no numbers to compare."), {});
    emit distributionShown();
  });
  bench_.read(job);
}

void VersionPage::tensorMenu(const QPoint& place) {
  const int row = tensorView_->currentRow();
  if (row < 0) return;
  const QString tensor = exactText(tensorTable_->row(row).name);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Show distribution"), this, [this, tensor] {
    openTensor(tensor);
    showTab(Distribution);
  });
  menu->addAction(tr("Copy name"), this,
                  [this, tensor] { bench_.copy(tensor, text(tensor.toStdString())); });
  menu->addAction(tr("Protect in the next version"), this,
                  [this, tensor] { emit bench_.protect(tensor); });
  menu->addAction(tr("Export as .npy..."), this, &VersionPage::exportTensors);
  menu->addAction(tr("Copy as command"), this, [this, tensor] {
    bench_.copy(bench_.command(QStringLiteral("show"))
                    .word(label_)
                    .option(QStringLiteral("--histogram"), tensor)
                    .text(),
                tr("the command"));
  });
  menu->popup(tensorView_->viewport()->mapToGlobal(place));
}

void VersionPage::exportTensors() {
  ExportOptions options{.reference = label_.toStdString()};
  for (const int row : tensorView_->selectedRows()) {
    options.globs.push_back(tensorTable_->row(row).name);
  }
  if (options.globs.empty()) return;
  auto* dialog = new QFileDialog(this, tr("Export tensors into a folder"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, [this, options](const QString& folder) {
    ExportOptions chosen = options;
    chosen.target = folder.toStdString();
    auto* job = exportJob(bench_.store(), chosen);
    connect(job, &Job::failed, banner_, &Banner::showProblem);
    connect(job, &Job::finished, this, [this, job, folder] {
      const int count = static_cast<int>(job->report().tensors.size());
      banner_->showNotice(Banner::Kind::Good,
                          tr("Wrote %n tensor(s) to %1", nullptr, count).arg(folder));
    });
    bench_.read(job);
  });
  dialog->open();
}

}  // namespace strata::gui
