#include "gui/pages/compare_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kSliderSteps = 100;
enum BoxRole { KindRole = Qt::UserRole, TextRole };

QComboBox* makeSide(const QString& name) {
  auto* box = new QComboBox;
  nameChoice(*box, name);
  box->setMinimumWidth(140);
  box->setMaximumWidth(360);
  // Long names must not make the window wider than the screen.
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  return box;
}

void addSide(QComboBox* box, const QString& label, CompareSide::Kind kind, const QString& text) {
  box->addItem(label, static_cast<int>(kind));
  box->setItemData(box->count() - 1, text, TextRole);
}

/// Whether the box has such a side, and any file is one; then it is the chosen one.
bool chooseSide(QComboBox* box, CompareSide::Kind kind, const QString& text) {
  for (int i = 0; i < box->count(); ++i) {
    if (box->itemData(i, KindRole).toInt() == static_cast<int>(kind) &&
        box->itemData(i, TextRole).toString() == text) {
      box->setCurrentIndex(i);
      return true;
    }
  }
  if (kind != CompareSide::Kind::File) return false;
  addSide(box, text.section(u'/', -1), kind, text);
  box->setCurrentIndex(box->count() - 1);
  return true;
}

/// A csv cell: quoted where it has to be.
QString csvCell(QString cell) {
  if (!cell.contains(u',') && !cell.contains(u'"') && !cell.contains(u'\n')) return cell;
  cell.replace(u'"', QStringLiteral("\"\""));
  return u'"' + cell + u'"';
}

}  // namespace

ComparePage::ComparePage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      a_(makeSide(tr("Side A"))),
      b_(makeSide(tr("Side B"))),
      swap_(new QToolButton),
      file_(new QPushButton),
      bases_(new QCheckBox(tr("Base, too"))),
      slider_(new QSlider(Qt::Horizontal)),
      sliderText_(new QLabel),
      counts_(new QLabel),
      progress_(new QProgressBar),
      facts_(makeDiffFactTable(this)),
      factView_(new TableView(tr("Summary"))),
      tensors_(makeDiffTable(this)),
      tensorView_(new TableView(tr("Tensors that differ"))) {
  factView_->setRecords(facts_);
  factView_->setSortingEnabled(false);
  factView_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  factView_->setEmptyText(tr("Choose two sides: what changed between them appears here."));
  tensorView_->setRecords(tensors_);
  for (const int column : kFromBaseColumns) tensorView_->setColumnHidden(column, true);
  progress_->setMaximumHeight(6);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress of the comparison"));
  keepRoom(*progress_);
  progress_->hide();

  auto* filter = new FilterEdit(tr("Filter tensors by name"));
  auto* bar = new QHBoxLayout;
  bar->addWidget(filter, 1);
  bar->addWidget(counts_);
  auto* below = new QWidget;
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 4, 0, 0);
  column->addLayout(bar);
  column->addWidget(tensorView_, 1);
  column->addWidget(banner_);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(factView_);
  split->addWidget(below);
  split->setStretchFactor(1, 1);
  split->setSizes({265, 465});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(makeBar());
  all->addWidget(progress_);
  all->addWidget(split, 1);

  connect(filter, &FilterEdit::filterChanged, tensorView_, &TableView::setFilter);
  filter->serve(tensorView_);
  connect(a_, &QComboBox::activated, this, &ComparePage::run);
  connect(b_, &QComboBox::activated, this, &ComparePage::run);
  connect(slider_, &QSlider::valueChanged, this, &ComparePage::applyThreshold);
  connect(&bench_.session(), &StoreSession::listed, this, &ComparePage::fillSides);
  applyThreshold();
}

QWidget* ComparePage::makeBar() {
  auto* bar = new QWidget;
  swap_->setIcon(icon(QStringLiteral("swap")));
  swap_->setToolTip(tr("Swap the sides"));
  swap_->setAccessibleName(tr("Swap the sides"));
  auto* copy = new CommandButton(bench_, [this] { return commands(); });
  auto* save = new QPushButton(tr("Export..."));
  slider_->setRange(0, kSliderSteps);
  slider_->setMinimumWidth(60);
  slider_->setMaximumWidth(140);
  slider_->setAccessibleName(tr("Show changes over"));
  sliderText_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")));
  auto* line = new FlowLayout(bar);
  for (QComboBox* side : {a_, b_}) side->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  for (QWidget* one : std::initializer_list<QWidget*>{
           new QLabel(tr("A")), a_, swap_, new QLabel(tr("B")), b_, file_, bases_,
           new QLabel(tr("Show changes over")), slider_, sliderText_, copy, save}) {
    line->addWidget(one);
  }
  connect(swap_, &QToolButton::clicked, this, [this] {
    const CompareSide a = sideOf(a_);
    const CompareSide b = sideOf(b_);
    chooseSide(a_, b.kind, b.text);
    chooseSide(b_, a.kind, a.text);
    run();
  });
  bases_->setToolTip(tr("What either version changed of its base, too: for two versions"));
  connect(bases_, &QCheckBox::toggled, this, &ComparePage::compareBases);
  connect(file_, &QPushButton::clicked, this, &ComparePage::chooseFile);
  for (QComboBox* box : {a_, b_}) {
    connect(box, &QComboBox::currentIndexChanged, this, &ComparePage::updateButtons);
  }
  updateButtons();
  connect(save, &QPushButton::clicked, this, &ComparePage::exportTable);
  return bar;
}

void ComparePage::fillSides() {
  const QStringList labels = bench_.labels();
  for (QComboBox* box : {a_, b_}) {
    const CompareSide kept = sideOf(box);
    box->clear();
    if (box == a_) addSide(box, tr("(its base)"), CompareSide::Kind::Base, {});
    for (const QString& label : labels) {
      addSide(box, label, CompareSide::Kind::Version, label);
    }
    chooseSide(box, kept.kind, kept.text);
  }
  updateButtons();
}

CompareSide ComparePage::sideOf(const QComboBox* box) const {
  if (box->currentIndex() < 0) return {CompareSide::Kind::Version, {}};
  return {static_cast<CompareSide::Kind>(box->currentData(KindRole).toInt()),
          box->currentData(TextRole).toString()};
}

void ComparePage::compare(const QString& a, const QString& b) {
  const auto kind = a.isEmpty() ? CompareSide::Kind::Base : CompareSide::Kind::Version;
  for (const auto& [box, wanted, label] :
       {std::tuple(a_, kind, a), std::tuple(b_, CompareSide::Kind::Version, b)}) {
    if (chooseSide(box, wanted, label)) continue;
    forget();
    banner_->showNotice(Banner::Kind::Trouble, tr("%1 is not in this store").arg(label),
                        tr("It may have been removed or renamed. Choose another side."));
    return;
  }
  run();
}

void ComparePage::suggest(const QString& label) {
  if (!report_ && !job_) chooseSide(b_, CompareSide::Kind::Version, label);
}

bool ComparePage::isLossy(const CompareSide& side) const {
  const SnapshotPtr& snapshot = bench_.session().snapshot();
  if (!snapshot || side.kind != CompareSide::Kind::Version) return false;
  return std::any_of(snapshot->rows.begin(), snapshot->rows.end(), [&](const ListRow& row) {
    return row.version.lossy && labelText(row.version) == side.text;
  });
}

void ComparePage::updateButtons() {
  // A base has no version to be the base of.
  swap_->setEnabled(sideOf(a_).kind != CompareSide::Kind::Base);
  bases_->setEnabled(sideOf(a_).kind == CompareSide::Kind::Version &&
                     sideOf(b_).kind == CompareSide::Kind::Version);
  const bool isOriginal = isLossy(sideOf(b_));
  file_->setText(isOriginal ? tr("Original on disk...") : tr("File on disk..."));
  file_->setToolTip(isOriginal ? tr("The model that was added as B, as side A: the change is the "
                                    "error of what B restores to")
                               : tr("A model on disk, as side B"));
}

void ComparePage::chooseFile() {
  auto* dialog = new QFileDialog(
      this, tr("Compare with a model on disk"), {},
      tr("Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &ComparePage::compareWithFile);
  dialog->open();
}

void ComparePage::compareWithFile(const QString& file) {
  chooseSide(isLossy(sideOf(b_)) ? a_ : b_, CompareSide::Kind::File, file);
  run();
}

void ComparePage::forget() {
  if (job_) job_->cancel();
  job_.clear();
  progress_->hide();
  report_.reset();
  for (FromBase& side : fromBase_) {
    if (side.job) side.job->cancel();
    side = {};
  }
  facts_->setRows({});
  tensors_->setRows({});
  tensorView_->setEmptyText({});
  applyThreshold();
}

void ComparePage::run() {
  const CompareSide a = sideOf(a_);
  const CompareSide b = sideOf(b_);
  if (b.text.isEmpty()) return;
  if (a.kind == CompareSide::Kind::Base && b.kind == CompareSide::Kind::File) {
    banner_->showNotice(Banner::Kind::Notice, tr("A file has no base of its own."),
                        tr("Choose a version for side A."));
    return;
  }
  banner_->clear();
  forget();
  auto* job = diffJob(bench_.store(), a, b, 0);
  job_ = job;
  progress_->setRange(0, 0);
  progress_->show();
  connect(job, &Job::progressed, this, [this, job](const JobProgress& progress) {
    if (job != job_ || progress.totalBytes == 0) return;
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(1000 * progress.share()));
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job != job_) return;
    report_ = job->report();
    showReport();
    compareBases();
    emit compared();
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == job_) banner_->showProblem(problem);
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == job_) progress_->hide();
  });
  bench_.read(job);
}

void ComparePage::compareBases() {
  const bool isWanted = bases_->isChecked() && bases_->isEnabled();
  for (const int column : kFromBaseColumns) tensorView_->setColumnHidden(column, !isWanted);
  if (!isWanted || !report_) return;
  tensorView_->fitColumns();
  const CompareSide sides[2] = {sideOf(a_), sideOf(b_)};
  for (std::size_t i = 0; i < 2; ++i) {
    FromBase& side = fromBase_[i];
    if (side.job || side.whole) continue;
    auto* job = diffJob(bench_.store(), {CompareSide::Kind::Base, {}}, sides[i], 0);
    side.job = job;
    connect(job, &Job::finished, this, [this, job, &side] {
      if (job != side.job) return;
      for (const TensorDiff& tensor : job->report().tensors) {
        if (tensor.comparable && tensor.hasDistance)
          side.changes[tensor.name] = tensor.relativeChange;
      }
      side.whole = job->report().change;
      showReport();
      if (fromBase_[0].whole && fromBase_[1].whole) emit basesCompared();
    });
    connect(job, &Job::failed, this, [this, job, &side](const Problem& problem) {
      if (job == side.job) banner_->showProblem(problem);
    });
    bench_.read(job);
  }
}

void ComparePage::showReport() {
  std::vector<DiffFact> facts = factsOf(*report_);
  const auto& [a, b] = fromBase_;
  if (a.whole && b.whole) {
    const auto distance = [](const ModelChange& change) {
      return change.distance ? errorText(*change.distance) : QStringLiteral("-");
    };
    facts.push_back({tr("From the base"), distance(*a.whole), distance(*b.whole), {}});
  }
  facts_->setRows(std::move(facts));
  std::vector<DiffRow> rows;
  const auto changeOf = [](const FromBase& side, const std::string& tensor) {
    const auto found = side.changes.find(tensor);
    return found == side.changes.end() ? std::nullopt : std::optional(found->second);
  };
  for (const TensorDiff& tensor : report_->tensors) {
    if (tensor.changedWords == 0 && tensor.comparable) continue;
    const std::string& inA = tensor.sources.size() == 1 ? tensor.sources[0].name : tensor.name;
    rows.push_back({tensor, changeOf(a, inA), changeOf(b, tensor.name)});
  }
  tensors_->updateRows(std::move(rows));
  tensorView_->setEmptyText(tr("No tensor differs."));
  applyThreshold();
}

double ComparePage::threshold() const {
  // The slider is finer near 0, where most fine-tunes are told apart.
  const double place = static_cast<double>(slider_->value()) / kSliderSteps;
  return place * place;
}

void ComparePage::applyThreshold() {
  const double least = threshold();
  sliderText_->setText(shareText(least));
  tensorView_->proxy()->setCondition([this, least](int row) {
    const TensorDiff& tensor = tensors_->row(row);
    return !tensor.comparable || tensor.changedShare() >= least;
  });
  counts_->setVisible(report_.has_value());
  if (!report_) return;
  const int shown = tensorView_->proxy()->rowCount();
  const int hidden = tensors_->rowCount() - shown;
  counts_->setText(
      hidden == 0 ? tr("%n tensor(s) changed", nullptr, shown)
                  : tr("%n tensor(s) shown, %1 under the threshold", nullptr, shown).arg(hidden));
}

QStringList ComparePage::commands() const {
  QStringList all{commandLine()};
  if (!bases_->isChecked() || !bases_->isEnabled()) return all;
  for (const QComboBox* box : {a_, b_}) {
    all << bench_.command(QStringLiteral("diff"))
               .word(sideOf(box).text)
               .flag(QStringLiteral("--tensors"), true)
               .text();
  }
  return all;
}

QString ComparePage::commandLine() const {
  const CompareSide a = sideOf(a_);
  const CompareSide b = sideOf(b_);
  CommandText command = bench_.command(QStringLiteral("diff"));
  if (a.kind != CompareSide::Kind::Base) command.word(a.text);
  command.word(b.text).flag(QStringLiteral("--tensors"), true);
  const double least = threshold();
  if (least > 0) command.option(QStringLiteral("--threshold"), QString::number(100 * least) + u'%');
  return command.text();
}

void ComparePage::exportTable() {
  QString csv;
  const auto addRow = [&csv](const auto& cell, int columns) {
    for (int i = 0; i < columns; ++i)
      csv += (i == 0 ? QString() : QStringLiteral(",")) + csvCell(cell(i));
    csv += u'\n';
  };
  const RowFilterProxy* shown = tensorView_->proxy();
  addRow([&](int i) { return shown->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString(); },
         shown->columnCount());
  for (int row = 0; row < shown->rowCount(); ++row) {
    addRow([&](int i) { return shown->index(row, i).data().toString(); }, shown->columnCount());
  }
  auto* dialog = new QFileDialog(this, tr("Export the tensors"), {}, tr("Tables (*.csv)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("csv"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, csv](const QString& file) { bench_.writeFile(file, csv.toUtf8()); });
  dialog->open();
}

}  // namespace strata::gui
