#include "gui/pages/compare_page.h"

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
#include <cmath>

#include "gui/models/command_text.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kSliderSteps = 100;
enum BoxRole { KindRole = Qt::UserRole, TextRole };

QComboBox* makeSide(const QString& name) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setMinimumWidth(200);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  return box;
}

void addSide(QComboBox* box, const QString& label, CompareSide::Kind kind, const QString& text) {
  box->addItem(label, static_cast<int>(kind));
  box->setItemData(box->count() - 1, text, TextRole);
}

void chooseSide(QComboBox* box, CompareSide::Kind kind, const QString& text) {
  for (int i = 0; i < box->count(); ++i) {
    if (box->itemData(i, KindRole).toInt() == static_cast<int>(kind) &&
        box->itemData(i, TextRole).toString() == text) {
      return box->setCurrentIndex(i);
    }
  }
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
  tensorView_->setEmptyText(tr("No tensor differs."));
  progress_->setMaximumHeight(6);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress of the comparison"));
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
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(factView_);
  split->addWidget(below);
  split->setStretchFactor(1, 1);
  split->setSizes({230, 500});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(banner_);
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
  auto* swap = new QToolButton;
  swap->setIcon(icon(QStringLiteral("swap")));
  swap->setToolTip(tr("Swap the sides"));
  swap->setAccessibleName(tr("Swap the sides"));
  auto* file = new QPushButton(tr("File on disk..."));
  auto* copy = new QToolButton;
  copy->setIcon(icon(QStringLiteral("terminal")));
  copy->setToolTip(tr("Copy as command"));
  copy->setAccessibleName(tr("Copy as command"));
  auto* save = new QPushButton(tr("Export..."));
  slider_->setRange(0, kSliderSteps);
  slider_->setFixedWidth(140);
  slider_->setAccessibleName(tr("Show changes over"));
  sliderText_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")));
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(new QLabel(tr("A")));
  line->addWidget(a_);
  line->addWidget(swap);
  line->addWidget(new QLabel(tr("B")));
  line->addWidget(b_);
  line->addWidget(file);
  line->addStretch(1);
  line->addWidget(new QLabel(tr("Show changes over")));
  line->addWidget(slider_);
  line->addWidget(sliderText_);
  line->addWidget(copy);
  line->addWidget(save);
  connect(swap, &QToolButton::clicked, this, [this] {
    const CompareSide a = sideOf(a_);
    const CompareSide b = sideOf(b_);
    if (a.kind == CompareSide::Kind::Base) return;  // a base has no version to be the base of
    chooseSide(a_, b.kind, b.text);
    chooseSide(b_, a.kind, a.text);
    run();
  });
  connect(file, &QPushButton::clicked, this, [this] { chooseFile(b_); });
  connect(copy, &QToolButton::clicked, this,
          [this] { bench_.copy(commandLine(), tr("the command")); });
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
    if (kept.kind == CompareSide::Kind::File) {
      addSide(box, kept.text.section(u'/', -1), kept.kind, kept.text);
    }
    chooseSide(box, kept.kind, kept.text);
  }
}

CompareSide ComparePage::sideOf(const QComboBox* box) const {
  if (box->currentIndex() < 0) return {CompareSide::Kind::Version, {}};
  return {static_cast<CompareSide::Kind>(box->currentData(KindRole).toInt()),
          box->currentData(TextRole).toString()};
}

void ComparePage::compare(const QString& a, const QString& b) {
  a.isEmpty() ? chooseSide(a_, CompareSide::Kind::Base, {})
              : chooseSide(a_, CompareSide::Kind::Version, a);
  chooseSide(b_, CompareSide::Kind::Version, b);
  run();
}

void ComparePage::chooseFile(QComboBox* side) {
  auto* dialog = new QFileDialog(this, tr("Compare with a model on disk"), {},
                                 tr("Models (*.onnx *.safetensors *.safetensors.index.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this, side](const QString& file) {
    addSide(side, file.section(u'/', -1), CompareSide::Kind::File, file);
    chooseSide(side, CompareSide::Kind::File, file);
    run();
  });
  dialog->open();
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
  if (job_) job_->cancel();
  facts_->setRows({});
  tensors_->setRows({});
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
    if (job == job_) showReport(job->report());
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == job_) banner_->showProblem(problem);
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == job_) progress_->hide();
  });
  bench_.read(job);
}

void ComparePage::showReport(const DiffReport& report) {
  facts_->setRows(factsOf(report));
  std::vector<TensorDiff> rows;
  for (const TensorDiff& tensor : report.tensors) {
    if (tensor.changedWords > 0 || !tensor.comparable) rows.push_back(tensor);
  }
  tensors_->setRows(std::move(rows));
  applyThreshold();
  emit compared();
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
  const int shown = tensorView_->proxy()->rowCount();
  const int hidden = tensors_->rowCount() - shown;
  counts_->setText(
      hidden == 0 ? tr("%n tensor(s) changed", nullptr, shown)
                  : tr("%n tensor(s) shown, %1 under the threshold", nullptr, shown).arg(hidden));
}

QString ComparePage::commandLine() const {
  const CompareSide a = sideOf(a_);
  const CompareSide b = sideOf(b_);
  CommandText command(bench_.session().folder(), QStringLiteral("diff"));
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
