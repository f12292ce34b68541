#include "gui/pages/library_page.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "gui/charts/timeline_chart.h"
#include "gui/models/lineage_model.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/summary_pane.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/lineage_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

LibraryPage::LibraryPage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      filter_(new FilterEdit(tr("Filter by name, tag, hash, note or base   (Ctrl+F)"))),
      model_(new LineageModel(this)),
      view_(new LineageView(model_)),
      timeline_(new TimelineChart),
      summary_(new SummaryPane(bench)) {
  auto* timelineFrame = new ChartFrame(tr("Timeline"), timeline_);
  timelineFrame->setContentsMargins(6, 0, 6, 6);
  auto* down = new QSplitter(Qt::Vertical);
  down->addWidget(view_);
  down->addWidget(timelineFrame);
  down->setStretchFactor(0, 1);
  down->setSizes({600, 150});
  down->setCollapsible(0, false);
  auto* across = new QSplitter(Qt::Horizontal);
  across->addWidget(down);
  across->addWidget(summary_);
  across->setStretchFactor(0, 1);
  across->setSizes({900, 280});
  across->setCollapsible(0, false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  auto* top = new QVBoxLayout;
  top->setContentsMargins(6, 6, 6, 6);
  top->addWidget(filter_);
  all->addLayout(top);
  all->addWidget(across, 1);
  all->addWidget(banner_);

  connect(filter_, &FilterEdit::filterChanged, model_, &LineageModel::setFilter);
  filter_->serve(view_);
  connect(filter_, &FilterEdit::filterChanged, this, &LibraryPage::showEmptyText);
  connect(view_, &LineageView::selectedRowsChanged, this, &LibraryPage::showSelection);
  connect(view_, &LineageView::versionActivated, &bench_, &Workbench::showVersion);
  connect(view_, &QWidget::customContextMenuRequested, this, [this](const QPoint& place) {
    emit menuRequested(view_->viewport()->mapToGlobal(place));
  });
  connect(timeline_, &Chart::activated, this,
          [this](int point) { select(timeline_->label(point)); });
  connect(timelineFrame, &ChartFrame::exported, &bench_, &Workbench::writeFile);
  connect(&bench_.session(), &StoreSession::listed, this, &LibraryPage::showSnapshot);
  connect(&bench_.session(), &StoreSession::closed, this, [this] { model_->setSnapshot({}); });
  view_->setEmptyText(tr("Opening the store..."));
}

QStringList LibraryPage::selection() const { return view_->selectedLabels(); }

QStringList LibraryPage::selectedVersions() const { return view_->selectedVersions(); }

void LibraryPage::select(const QString& label) { view_->select(label); }

void LibraryPage::setShown(LineageModel::Shown shown) {
  model_->setShown(shown);
  showEmptyText();
}

void LibraryPage::showEmptyText() {
  const SnapshotPtr& snapshot = bench_.session().snapshot();
  const bool isEmpty = !snapshot || snapshot->rows.empty();
  const bool isUnchecked = model_->shown() == LineageModel::Shown::Unchecked;
  view_->setEmptyText(
      isEmpty ? tr("No models are stored here yet.\nDrop an .onnx or "
                   ".safetensors file into this window, or press Add.")
      : isUnchecked && filter_->text().isEmpty()
          ? tr("All versions were checked lately.\nHow long a check counts is the setting "
               "verify.days.")
          : tr("No version matches. Esc clears the filter."));
}

void LibraryPage::showSnapshot(const SnapshotPtr& snapshot) {
  const bool isAllHere = snapshot->totals.awaitedVersions == 0;
  const bool wasHidden = view_->isColumnHidden(LineageModel::HereColumn);
  model_->setSnapshot(snapshot);
  view_->setColumnHidden(LineageModel::HereColumn, isAllHere);
  if (wasHidden && !isAllHere) view_->resizeColumnToContents(LineageModel::HereColumn);
  emit filter_->filterChanged(filter_->text());
}

void LibraryPage::showSelection() {
  const QModelIndexList rows = view_->selectionModel()->selectedRows();
  std::vector<ListRow> history;
  const bool isOne = rows.size() == 1 && model_->version(rows.front()) != nullptr;
  if (isOne) {
    const std::string& name = model_->version(rows.front())->version.name;
    for (const ListRow& row : bench_.session().snapshot()->rows) {
      if (row.version.name == name) history.push_back(row);
    }
  }
  if (isOne && model_->kind(rows.front()) != LineageModel::Kind::Name) {
    summary_->setVersion(model_->version(rows.front()));
  } else if (!rows.empty()) {
    std::uint64_t originalBytes = 0;
    std::uint64_t storedBytes = 0;
    int versionCount = 0;
    int awaitedCount = 0;
    for (const QModelIndex& index : rows) {
      for (const ListRow* row : model_->versions(index)) {
        ++versionCount;
        originalBytes += row->version.originalBytes;
        storedBytes += row->version.storedBytes;
        if (!row->awaited.isHere()) ++awaitedCount;
      }
    }
    summary_->setCount(versionCount, originalBytes, storedBytes, awaitedCount, rows.size() == 2);
  } else {
    summary_->setVersion(nullptr);
  }
  timeline_->setVersions(std::move(history));
  emit selectionChanged();
}

}  // namespace strata::gui
