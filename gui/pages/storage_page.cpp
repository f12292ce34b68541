#include "gui/pages/storage_page.h"

#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <map>
#include <set>

#include "gui/charts/size_bar.h"
#include "gui/jobs/care_ops.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/store_ops.h"
#include "gui/models/parity_text.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/confirm_loss.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/panes/trash_pane.h"
#include "gui/widgets/views/chart_frame.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/table_view.h"
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
      trash_(new TrashPane(bench, *banner_)),
      progress_(new QProgressBar) {
  objectView_->setRecords(objectTable_);
  objectView_->keepPlace();
  objectView_->setWideColumn(3);
  objectView_->setEmptyText(tr("There are no objects: the store is empty."));
  totals_->setWordWrap(true);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  progress_->setAccessibleName(tr("Progress of the check"));
  keepRoom(*progress_);
  progress_->hide();
  auto* filter = new FilterEdit(tr("Filter by hash, version or state"));
  auto* frame = new ChartFrame(tr("On disk"), bar_);
  frame->setMaximumHeight(100);

  auto* objects = new QWidget;
  auto* column = new QVBoxLayout(objects);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(filter);
  column->addWidget(objectView_, 1);
  column->addWidget(banner_);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(objects);
  split->addWidget(trash_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setSizes({420, 170});
  split->setChildrenCollapsible(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(totals_);
  all->addWidget(frame);
  all->addWidget(makeButtons());
  all->addWidget(progress_);
  all->addWidget(split, 1);

  connect(filter, &FilterEdit::filterChanged, objectView_, &TableView::setFilter);
  filter->serve(objectView_);
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
  clean_ = new QPushButton(tr("Clean up..."));
  repair_ = new QPushButton(tr("Repair"));
  quick_->setToolTip(tr("Objects exist with the right sizes, and the catalog agrees"));
  full_->setToolTip(tr("And the SHA-256 of every object"));
  rebuild_->setToolTip(
      tr("And every version is decoded and compared; takes as long as restoring all"));
  clean_->setToolTip(tr("Free what no version needs, such as an interrupted add left"));
  repair_->setMenu(new QMenu(repair_));
  auto* line = new FlowLayout(bar);
  for (QPushButton* button : {full_, quick_, rebuild_, stop_, clean_, repair_}) {
    line->addWidget(button);
  }
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  using Level = VerifyOptions::Level;
  connect(quick_, &QPushButton::clicked, this, [this] { verify(Level::Quick); });
  connect(full_, &QPushButton::clicked, this, [this] { verify(Level::Full); });
  connect(rebuild_, &QPushButton::clicked, this, [this] { verify(Level::Rebuild); });
  connect(clean_, &QPushButton::clicked, this, &StoragePage::cleanUp);
  connect(stop_, &QPushButton::clicked, this, [this] {
    if (checking_) checking_->cancel();
  });
  showRemotes({});
  updateButtons();
  return bar;
}

void StoragePage::showRemotes(const RemoteList& list) {
  remotes_.clear();
  repair_->menu()->clear();
  connect(repair_->menu()->addAction(tr("with what is here")), &QAction::triggered, this,
          &StoragePage::mend);
  for (const RemoteConfig& remote : list.remotes) {
    const QString name = text(remote.name);
    remotes_ << name;
    connect(repair_->menu()->addAction(tr("from %1").arg(name)), &QAction::triggered, this,
            [this, name] { repair(name); });
  }
  repair_->setToolTip(
      tr("Write lost refs anew, or fetch what is damaged or missing from a remote"));
  updateButtons();
}

QStringList StoragePage::commands() const {
  const auto command = [this](const char* name) { return bench_.command(QLatin1String(name)); };
  QStringList all{command("verify").text(),
                  command("verify").flag(QStringLiteral("--quick"), true).text(),
                  command("verify").flag(QStringLiteral("--rebuild"), true).text()};
  all << command("verify").flag(QStringLiteral("--repair"), true).text();
  for (const QString& name : remotes_) {
    all << command("verify")
               .flag(QStringLiteral("--repair"), true)
               .option(QStringLiteral("--from"), name)
               .text();
  }
  all << command("info").flag(QStringLiteral("--objects"), true).text()
      << command("gc").flag(QStringLiteral("--yes"), true).text();
  return all + trash_->commands();
}

void StoragePage::loadRemotes() {
  auto* job = remotesJob(bench_.store());
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { showRemotes(job->report()); });
  bench_.read(job);
}

void StoragePage::updateButtons() {
  for (QPushButton* button : {quick_, full_, rebuild_, clean_, repair_}) {
    button->setEnabled(!checking_);
  }
  stop_->setEnabled(!checking_.isNull());
}

void StoragePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isStale_) listObjects();
  loadRemotes();
}

void StoragePage::showSnapshot(const SnapshotPtr& snapshot) {
  const StoreTotals& totals = snapshot->totals;
  QString words =
      tr("%1, in %2; %3 free on this disk")
          .arg(totalsText(totals), text(snapshot->folder), bytesText(snapshot->info.freeBytes));
  if (!snapshot->info.lockedBy.empty()) {
    words += u'\n' + tr("Being written by %1").arg(text(snapshot->info.lockedBy));
  }
  if (!snapshot->info.lockLeftBy.empty()) {
    words += u'\n' + tr("1 unfinished operation of %1; the next write cleans up after it")
                         .arg(text(snapshot->info.lockLeftBy));
  }
  words += u'\n' + parityText(snapshot->info.parity);
  totals_->setText(words);
  std::map<std::string, std::uint64_t> byName;
  for (const ListRow& row : snapshot->rows) {
    const std::uint64_t stored = row.version.storedBytes;
    byName[row.version.name] += stored - std::min(stored, row.awaited.ownBytes);
  }
  std::vector<SizeBar::Part> parts;
  for (const auto& [name, bytes] : byName) {
    if (bytes > 0) parts.push_back({text(name), bytes});
  }
  if (snapshot->info.trashBytes > 0) parts.push_back({tr("trash"), snapshot->info.trashBytes});
  bar_->setParts(std::move(parts));
  trash_->showTrash(*snapshot);
  isStale_ = true;
  if (isVisible()) listObjects();
}

void StoragePage::listObjects() {
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

void StoragePage::follow(Job* job) {
  checking_ = job;
  banner_->clear();
  updateButtons();
  progress_->setRange(0, 0);
  progress_->show();
  connect(job, &Job::progressed, this, [this](const JobProgress& progress) {
    progress_->setRange(0, progress.totalBytes > 0 ? 1000 : 0);
    progress_->setValue(static_cast<int>(1000 * progress.share()));
  });
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::cancelled, this,
          [this] { banner_->showNotice(Banner::Kind::Notice, tr("The check was stopped.")); });
  connect(job, &Job::ended, this, [this] {
    checking_.clear();
    updateButtons();
    progress_->hide();
    emit verified();
  });
}

void StoragePage::verify(VerifyOptions::Level level) {
  if (checking_) return;
  auto* job = verifyJob(bench_.store(), {.level = level});
  follow(job);
  connect(job, &Job::finished, this, [this, job] {
    showReport(job->report());
    bench_.session().refresh();  // when all was checked is known anew
  });
  bench_.read(job);
}

void StoragePage::repair(const QString& remote) {
  if (checking_) return;
  auto* job = repairJob(bench_.store(), remote);
  follow(job);
  connect(job, &Job::finished, this, [this, job, remote] {
    const RepairReport& report = job->report();
    QStringList lines;
    if (report.objectCount > 0) {
      lines << tr("Fetched %n object(s), %1 from %2", nullptr, static_cast<int>(report.objectCount))
                   .arg(bytesText(report.byteCount), remote);
    }
    for (const FailedTransfer& failed : report.failed) lines << text(failed.error.message);
    showReport(report.after, lines);
    bench_.session().refresh();
  });
  bench_.write(job);
}

void StoragePage::mend() {
  if (checking_) return;
  auto* job = mendJob(bench_.store());
  follow(job);
  connect(job, &Job::finished, this, [this, job] {
    const MendReport& report = job->report();
    showReport(report.after, mendedLines(report.here));
    bench_.session().refresh();
  });
  bench_.write(job);
}

void StoragePage::fetchKept(const QString& remote) {
  if (checking_) return;
  auto* job = fetchJob(bench_.store(), remote);
  follow(job);
  // Queued: the next check begins once this job has ended.
  connect(
      job, &Job::finished, this, [this] { verify(VerifyOptions::Level::Quick); },
      Qt::QueuedConnection);
  bench_.read(job);
}

QStringList StoragePage::mendedLines(const HereReport& here) {
  QStringList lines;
  if (here.parity.objectCount > 0) {
    lines << tr("%n object(s), %1, brought back by parity", nullptr,
                static_cast<int>(here.parity.objectCount))
                 .arg(bytesText(here.parity.byteCount));
  }
  if (here.parityFailure) {
    lines << tr("Nothing was brought back by parity: %1").arg(text(here.parityFailure->message));
  }
  for (const MendedSnapshots::Pair& one : here.snapshots.mended) {
    lines << tr("%1 was made anew of %2, in the trash").arg(text(one.label), text(one.from));
  }
  return lines + recoveredLines(here.recovered);
}

QStringList StoragePage::recoveredLines(const RecoverReport& report) {
  QStringList lines;
  for (const std::string& label : report.rewritten) {
    lines << tr("Wrote its ref anew: %1").arg(text(label));
  }
  for (const std::string& label : report.madePrivate) {
    lines << tr("Its manifest was lost, and its files' permissions with it; they are yours alone "
                "from now on: %1")
                 .arg(text(label));
  }
  for (const std::string& label : report.named) {
    lines << tr("Gave a model without a name one: %1").arg(text(label));
  }
  for (const std::string& label : report.finished) {
    lines << tr("Did what a damaged file said, as the catalog knows it: %1").arg(text(label));
  }
  for (const std::filesystem::path& ref : report.setAside) {
    lines << tr("Set aside a ref that cannot be read: %1").arg(text(ref.string()));
  }
  return lines;
}

void StoragePage::cleanUp() {
  if (checking_) return;
  auto* job = garbageJob(bench_.store(), true);
  follow(job);
  connect(job, &Job::finished, this, [this, job] { confirmCleanUp(job->report()); });
  bench_.write(job);
}

void StoragePage::confirmCleanUp(const GarbageReport& report) {
  const int count = static_cast<int>(report.freed.size() + report.freedParts);
  QString held = report.heldObjects + report.heldParts == 0
                     ? QString()
                     : tr("%1 stay for pulls that are not over, see Transfers.")
                           .arg(bytesText(report.heldBytes + report.heldPartBytes));
  if (report.unknownObjects > 0) {
    QStringList refs;
    for (const std::filesystem::path& ref : report.setAside) refs << text(ref.string());
    if (!held.isEmpty()) held += u'\n';
    held += tr("%1 stay, which may belong to what a repair set aside: %2")
                .arg(bytesText(report.unknownBytes), refs.join(QStringLiteral(", ")));
  }
  if (count == 0) {
    QStringList lines{
        tr("%n object(s), %1, all needed", nullptr, static_cast<int>(report.keptObjects))
            .arg(bytesText(report.keptBytes))};
    if (!held.isEmpty()) lines << held;
    banner_->showNotice(Banner::Kind::Good, tr("Nothing to free"), lines.join(u'\n'));
    return;
  }
  confirmLoss(this, tr("Clean up"),
              tr("Delete %n object(s) that no version needs and free %1?", nullptr, count)
                  .arg(bytesText(report.freedBytes + report.freedPartBytes)),
              held, tr("Delete"), [this] { cleanUpForGood(); });
}

void StoragePage::cleanUpForGood() {
  auto* job = garbageJob(bench_.store(), false);
  follow(job);
  connect(job, &Job::finished, this, [this, job] {
    const GarbageReport& report = job->report();
    banner_->showNotice(Banner::Kind::Good,
                        tr("Freed %1").arg(bytesText(report.freedBytes + report.freedPartBytes)));
    bench_.session().refresh();
  });
  bench_.write(job);
}

void StoragePage::showReport(const VerifyReport& report, const QStringList& done) {
  report_ = std::make_unique<VerifyReport>(report);
  showObjects();
  QStringList lines = done;
  lines << tr("Checked %1, %2 and %3, read %4 in %5 s")
               .arg(tr("%n version(s)", nullptr, static_cast<int>(report.versionCount)),
                    tr("%n base(s)", nullptr, static_cast<int>(report.baseCount)),
                    tr("%n object(s)", nullptr, static_cast<int>(report.objectCount)),
                    bytesText(report.checkedBytes), decimalText(report.seconds, 1));
  if (report.parity) lines << parityText(*report.parity);
  if (!report.absentVersions.empty()) {
    std::vector<std::string> labels;
    for (const AbsentVersion& version : report.absentVersions) labels.push_back(version.label);
    lines << tr("Not here yet, because only their manifests were pulled: %1. Pull them again to "
                "bring the rest.")
                 .arg(joined(labels, QStringLiteral(", ")));
  }
  if (!report.unfinished.empty()) {
    lines << tr("Not finished, and no damage; the next write finishes it: %1")
                 .arg(joined(report.unfinished, QStringLiteral(", ")));
  }
  if (!report.setAside.empty()) {
    QStringList refs;
    for (const std::filesystem::path& ref : report.setAside) refs << text(ref.string());
    lines << tr("Set aside by a repair, as it cannot be read; delete it if nothing is missing: %1")
                 .arg(refs.join(QStringLiteral(", ")));
  }
  if (report.sound()) {
    banner_->showNotice(Banner::Kind::Good, tr("The store is sound."), lines.join(u'\n'));
    return;
  }
  for (const Damage& damage : report.damages) lines << damageText(damage);
  std::vector<std::string> models;
  for (const MendingModel& model : report.toAdd) {
    const std::string file = model.file.empty() ? "" : " (" + model.file + ")";
    models.push_back((model.label.empty() ? shortHex(model.contentDigest) : model.label) + file);
  }
  if (!models.empty()) {
    lines << tr("Adding the same models again repairs them, in this order: %1")
                 .arg(joined(models, QStringLiteral(", ")));
  }
  const QString title = report.damagedVersions.empty()
                            ? tr("Damage found")
                            : tr("%n version(s) cannot be restored", nullptr,
                                 static_cast<int>(report.damagedVersions.size()));
  banner_->showNotice(Banner::Kind::Trouble, title, lines.join(u'\n'));
  banner_->addAction(tr("Copy report"),
                     [this, lines] { bench_.copy(lines.join(u'\n'), tr("the report")); });
  offerRepairs(report);
}

QString StoragePage::damageText(const Damage& damage) {
  if (damage.kind == Damage::Kind::Remote) {
    return tr("What is kept of %1 is damaged; asking it again mends that: %2")
        .arg(text(damage.remote), text(damage.reason));
  }
  if (damage.kind == Damage::Kind::Parity) {
    return tr("parity file %1: %2").arg(text(damage.path.string()), text(damage.reason));
  }
  return tr("%1 %2 %3: versions %4")
      .arg(text(name(damage.kind)), hashText(damage.digest), text(damage.reason),
           joined(damage.versions, QStringLiteral(", ")));
}

void StoragePage::offerRepairs(const VerifyReport& report) {
  std::set<std::string> toAsk;
  bool hasOther = false;
  for (const Damage& damage : report.damages) {
    const bool isKept = damage.kind == Damage::Kind::Remote;
    if (isKept) toAsk.insert(damage.remote);
    hasOther = hasOther || !isKept;
  }
  for (const std::string& name : toAsk) {
    const QString remote = text(name);
    banner_->addAction(tr("Ask %1 again").arg(remote), [this, remote] { fetchKept(remote); });
  }
  if (!hasOther) return;
  banner_->addAction(tr("Repair with what is here"), [this] { mend(); });
  for (const QString& remote : remotes_.mid(0, 2)) {
    banner_->addAction(tr("Fetch again from %1").arg(remote), [this, remote] { repair(remote); });
  }
}

}  // namespace strata::gui
