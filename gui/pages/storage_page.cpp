#include "gui/pages/storage_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <map>

#include "gui/charts/chart_frame.h"
#include "gui/charts/size_bar.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

StoragePage::StoragePage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      totals_(new QLabel),
      bar_(new SizeBar),
      objectTable_(makeObjectTable(this)),
      objectView_(new TableView(tr("Objects"))),
      trashTable_(makeTrashTable(this)),
      trashView_(new TableView(tr("Trash"))),
      trashLine_(new QLabel),
      progress_(new QProgressBar) {
  objectView_->setRecords(objectTable_);
  objectView_->setWideColumn(3);
  trashView_->setWideColumn(5);
  objectView_->setEmptyText(tr("There are no objects: the store is empty."));
  trashView_->setRecords(trashTable_);
  trashView_->setEmptyText(tr("The trash is empty. Removed versions wait here."));
  totals_->setWordWrap(true);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  progress_->setAccessibleName(tr("Progress of the check"));
  progress_->hide();
  auto* filter = new FilterEdit(tr("Filter by hash, version or state"));
  auto* frame = new ChartFrame(tr("On disk"), bar_);
  frame->setMaximumHeight(100);

  auto* objects = new QWidget;
  auto* column = new QVBoxLayout(objects);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(filter);
  column->addWidget(objectView_, 1);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(objects);
  split->addWidget(makeTrash());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setSizes({420, 170});
  split->setChildrenCollapsible(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(banner_);
  all->addWidget(totals_);
  all->addWidget(frame);
  all->addWidget(makeButtons());
  all->addWidget(progress_);
  all->addWidget(split, 1);

  connect(filter, &FilterEdit::filterChanged, objectView_, &TableView::setFilter);
  connect(filter, &FilterEdit::left, objectView_, qOverload<>(&QWidget::setFocus));
  connect(frame, &ChartFrame::exported, &bench_, &Workbench::writeFile);
  connect(&bench_.session(), &StoreSession::listed, this, &StoragePage::showSnapshot);
  connect(&bench_.session(), &StoreSession::closed, this, [this] {
    report_.reset();
    objects_.clear();
    showObjects();
  });
}

QWidget* StoragePage::makeButtons() {
  auto* bar = new QWidget;
  quick_ = new QPushButton(tr("Verify quickly"));
  full_ = new QPushButton(icon(QStringLiteral("verify")), tr("Verify all"));
  rebuild_ = new QPushButton(tr("Verify by decoding"));
  stop_ = new QPushButton(tr("Stop"));
  quick_->setToolTip(tr("Objects exist with the right sizes, and the catalog agrees"));
  full_->setToolTip(tr("And the SHA-256 of every object"));
  rebuild_->setToolTip(
      tr("And every version is decoded and compared; takes as long as restoring all"));
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  for (QPushButton* button : {full_, quick_, rebuild_, stop_}) line->addWidget(button);
  line->addStretch();
  stop_->setEnabled(false);
  using Level = VerifyOptions::Level;
  connect(quick_, &QPushButton::clicked, this, [this] { verify(Level::Quick); });
  connect(full_, &QPushButton::clicked, this, [this] { verify(Level::Full); });
  connect(rebuild_, &QPushButton::clicked, this, [this] { verify(Level::Rebuild); });
  connect(stop_, &QPushButton::clicked, this, [this] {
    if (verifying_) verifying_->cancel();
  });
  return bar;
}

QWidget* StoragePage::makeTrash() {
  auto* box = new QWidget;
  back_ = new QPushButton(icon(QStringLiteral("undo")), tr("Bring back"));
  empty_ = new QPushButton(icon(QStringLiteral("trash")), tr("Empty the trash..."));
  back_->setEnabled(false);
  auto* line = new QHBoxLayout;
  line->addWidget(trashLine_, 1);
  line->addWidget(back_);
  line->addWidget(empty_);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 4, 0, 0);
  column->addLayout(line);
  column->addWidget(trashView_, 1);
  connect(trashView_, &TableView::rowChanged, back_,
          [this](int row) { back_->setEnabled(row >= 0); });
  connect(back_, &QPushButton::clicked, this, &StoragePage::bringBack);
  connect(empty_, &QPushButton::clicked, this, &StoragePage::emptyTrash);
  return box;
}

void StoragePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isStale_) listObjects();
}

void StoragePage::showSnapshot(const SnapshotPtr& snapshot) {
  const StoreTotals& totals = snapshot->totals;
  QString words = tr("%1 on disk for %2 of models (%3), in %4; %5 free on this disk")
                      .arg(bytesText(totals.objectBytes), bytesText(totals.originalBytes),
                           ratioText(totals.storeRatio()), text(snapshot->folder),
                           bytesText(snapshot->info.freeBytes));
  if (!snapshot->info.lockedBy.empty()) {
    words += u'\n' + tr("Being written by %1").arg(text(snapshot->info.lockedBy));
  }
  if (!snapshot->info.lockLeftBy.empty()) {
    words += u'\n' + tr("1 unfinished operation of %1; the next write cleans up after it")
                         .arg(text(snapshot->info.lockLeftBy));
  }
  totals_->setText(words);
  std::map<std::string, std::uint64_t> byName;
  for (const ListRow& row : snapshot->rows) byName[row.version.name] += row.version.storedBytes;
  std::vector<SizeBar::Part> parts;
  for (const auto& [name, bytes] : byName) {
    if (bytes > 0) parts.push_back({text(name), bytes});
  }
  if (snapshot->info.trashBytes > 0) parts.push_back({tr("trash"), snapshot->info.trashBytes});
  bar_->setParts(std::move(parts));
  trashTable_->setRows(snapshot->trash.versions);
  const int count = static_cast<int>(snapshot->trash.versions.size());
  trashLine_->setText(count == 0 ? tr("Trash")
                                 : tr("Trash: %n version(s), emptying it frees %1", nullptr, count)
                                       .arg(bytesText(snapshot->trash.freeableBytes)));
  empty_->setEnabled(count > 0);
  isStale_ = true;
  if (isVisible()) listObjects();
}

void StoragePage::listObjects() {
  if (!bench_.store()) return;
  isStale_ = false;
  auto* job = objectsJob(bench_.store());
  listing_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job != listing_) return;
    objects_ = job->report();
    showObjects();
    emit objectsListed();
  });
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  bench_.read(job);
}

void StoragePage::showObjects() { objectTable_->setRows(objectStates(objects_, report_.get())); }

void StoragePage::verify(VerifyOptions::Level level) {
  if (!bench_.store() || verifying_) return;
  banner_->clear();
  auto* job = verifyJob(bench_.store(), {.level = level});
  verifying_ = job;
  for (QPushButton* button : {quick_, full_, rebuild_}) button->setEnabled(false);
  stop_->setEnabled(true);
  progress_->setRange(0, 0);
  progress_->show();
  connect(job, &Job::progressed, this, [this](const JobProgress& progress) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(1000 * progress.share()));
  });
  connect(job, &Job::finished, this, [this, job] { showReport(job->report()); });
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::cancelled, this,
          [this] { banner_->showNotice(Banner::Kind::Notice, tr("The check was stopped.")); });
  connect(job, &Job::ended, this, [this] {
    verifying_.clear();
    for (QPushButton* button : {quick_, full_, rebuild_}) button->setEnabled(true);
    stop_->setEnabled(false);
    progress_->hide();
    emit verified();
  });
  bench_.read(job);
}

void StoragePage::showReport(const VerifyReport& report) {
  report_ = std::make_unique<VerifyReport>(report);
  showObjects();
  const QString checked = tr("Checked %1 versions, %2 bases and %3 objects, read %4 in %5 s")
                              .arg(report.versionCount)
                              .arg(report.baseCount)
                              .arg(report.objectCount)
                              .arg(bytesText(report.checkedBytes))
                              .arg(report.seconds, 0, 'f', 1);
  if (report.sound()) {
    banner_->showNotice(Banner::Kind::Good, tr("The store is sound."), checked);
    return;
  }
  QStringList lines{checked};
  for (const Damage& damage : report.damages) {
    lines << tr("%1 %2 %3: versions %4")
                 .arg(text(name(damage.kind)), hashText(damage.digest), text(damage.reason),
                      joined(damage.versions, QStringLiteral(", ")));
  }
  lines << tr("Adding the same model again repairs a damaged version.");
  banner_->showNotice(Banner::Kind::Trouble,
                      tr("%n version(s) cannot be restored", nullptr,
                         static_cast<int>(report.damagedVersions.size())),
                      lines.join(u'\n'));
  banner_->addAction(tr("Copy report"),
                     [this, lines] { bench_.copy(lines.join(u'\n'), tr("the report")); });
}

void StoragePage::bringBack() {
  QStringList labels;
  for (const int row : trashView_->selectedRows()) labels << labelText(trashTable_->row(row));
  if (labels.isEmpty()) return;
  auto* job = untrashJob(bench_.store(), labels);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const TrashRestoreReport& report = job->report();
    QString lost;
    if (!report.lostTags.empty()) {
      lost = tr("These tags are in use by other versions by now: %1")
                 .arg(joined(report.lostTags, QStringLiteral(", ")));
    }
    banner_->showNotice(
        Banner::Kind::Good,
        tr("%n version(s) brought back", nullptr, static_cast<int>(report.versions.size())), lost);
    bench_.session().refresh();
  });
  bench_.write(job);
}

void StoragePage::emptyTrash() {
  auto* job = emptyTrashJob(bench_.store(), true);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { confirmEmpty(job->report()); });
  bench_.read(job);
}

void StoragePage::confirmEmpty(const EmptyTrashReport& report) {
  QStringList names;
  for (const VersionEntry& version : report.versions) names << labelText(version);
  constexpr qsizetype kMostNames = 10;
  const QString shown = names.mid(0, kMostNames).join(QStringLiteral(", ")) +
                        (names.size() > kMostNames ? QStringLiteral(", ...") : QString());
  // What cannot be undone is asked for, by name and bytes; the way out is the default.
  auto* box = new QMessageBox(
      QMessageBox::Warning, tr("Empty the trash"),
      tr("Delete %n version(s) for good and free %1?", nullptr, static_cast<int>(names.size()))
          .arg(bytesText(report.freedBytes)),
      QMessageBox::NoButton, this);
  box->setInformativeText(tr("%1\nThis cannot be undone.").arg(shown));
  box->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* go = box->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(QMessageBox::Cancel));
  connect(go, &QPushButton::clicked, this, [this] {
    auto* job = emptyTrashJob(bench_.store(), false);
    connect(job, &Job::failed, banner_, &Banner::showProblem);
    connect(job, &Job::finished, this, [this, job] {
      banner_->showNotice(Banner::Kind::Good,
                          tr("Freed %1").arg(bytesText(job->report().freedBytes)));
      bench_.session().refresh();
    });
    bench_.write(job);
  });
  box->open();
}

}  // namespace strata::gui
