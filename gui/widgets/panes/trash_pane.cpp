#include "gui/widgets/panes/trash_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/jobs/store_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/confirm_loss.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

TrashPane::TrashPane(Workbench& bench, Banner& banner, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(banner),
      table_(makeTrashTable(this)),
      view_(new TableView(tr("Trash"))),
      line_(new QLabel),
      back_(new QPushButton(icon(QStringLiteral("undo")), tr("Bring back"))),
      expired_(new QPushButton(tr("Delete expired..."))),
      empty_(new QPushButton(icon(QStringLiteral("trash")), tr("Empty the trash..."))) {
  view_->setWideColumn(6);
  view_->setRecords(table_);
  view_->keepPlace();
  view_->setEmptyText(tr("The trash is empty. Removed versions wait here."));
  back_->setEnabled(false);
  auto* line = new QHBoxLayout;
  line->addWidget(line_, 1);
  line->addWidget(back_);
  line->addWidget(expired_);
  line->addWidget(empty_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->addLayout(line);
  column->addWidget(view_, 1);
  connect(view_, &TableView::rowChanged, back_, [this](int row) { back_->setEnabled(row >= 0); });
  connect(back_, &QPushButton::clicked, this, &TrashPane::bringBack);
  expired_->setToolTip(tr("What was kept as long as the setting trash.days says"));
  connect(expired_, &QPushButton::clicked, this, [this] { empty(Which::Expired); });
  connect(empty_, &QPushButton::clicked, this, [this] { empty(Which::All); });
}

void TrashPane::showTrash(const StoreSnapshot& snapshot) {
  const TrashReport& trash = snapshot.trash;
  expiredBefore_ = expiredBefore(snapshot.config);
  std::vector<TrashRow> rows;
  bool hasExpired = false;
  for (const VersionEntry& version : trash.versions) {
    rows.push_back({version, keptUntil(version, snapshot.config)});
    hasExpired = hasExpired || version.removedAt < expiredBefore_;
  }
  table_->setRows(std::move(rows));
  expired_->setEnabled(hasExpired);
  const int count = static_cast<int>(trash.versions.size());
  line_->setText(count == 0 ? tr("Trash")
                            : tr("Trash: %n version(s), emptying it frees %1", nullptr, count)
                                  .arg(bytesText(trash.freeableBytes)));
  empty_->setEnabled(count > 0);
}

QStringList TrashPane::chosen() const {
  QStringList labels;
  for (const int row : view_->selectedRows()) labels << labelText(table_->row(row).version);
  return labels;
}

QStringList TrashPane::commands() const {
  const auto trash = [this](const char* verb) {
    return bench_.command(QStringLiteral("trash")).word(QLatin1String(verb));
  };
  QStringList all;
  if (const QStringList labels = chosen(); !labels.isEmpty()) {
    all << trash("restore").words(labels).text();
  }
  if (expired_->isEnabled()) {
    all << trash("empty").flag(QStringLiteral("--expired"), true).text();
  }
  return all << trash("empty").text();
}

void TrashPane::bringBack() {
  const QStringList labels = chosen();
  if (labels.isEmpty()) return;
  auto* job = untrashJob(bench_.store(), labels);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const TrashRestoreReport& report = job->report();
    QString lost;
    if (!report.lostTags.empty()) {
      lost = tr("These tags are in use by other versions by now: %1")
                 .arg(joined(report.lostTags, QStringLiteral(", ")));
    }
    banner_.showNotice(
        Banner::Kind::Good,
        tr("%n version(s) brought back", nullptr, static_cast<int>(report.versions.size())), lost);
    bench_.session().refresh();
  });
  bench_.edit(job);
}

void TrashPane::empty(Which which) {
  EmptyTrashOptions options{.dryRun = true};
  if (which == Which::Expired) options.removedBeforeSeconds = expiredBefore_;
  auto* job = emptyTrashJob(bench_.store(), options);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, options] { confirm(job->report(), options); });
  bench_.read(job);
}

QString TrashPane::heldText(const EmptyTrashReport::Held& held) {
  return tr("%1 stays: %2, which lacks its optimizer, is damaged, and a repair makes it anew of "
            "it.")
      .arg(text(held.label), text(held.damaged));
}

void TrashPane::confirm(const EmptyTrashReport& report, const EmptyTrashOptions& options) {
  QStringList names;
  for (const VersionEntry& version : report.versions) names << labelText(version);
  constexpr qsizetype kMostNames = 10;
  QString shown = names.mid(0, kMostNames).join(QStringLiteral(", ")) +
                  (names.size() > kMostNames ? QStringLiteral(", ...") : QString());
  for (const EmptyTrashReport::Held& one : report.held) shown += u'\n' + heldText(one);
  confirmLoss(
      this, tr("Empty the trash"),
      tr("Delete %n version(s) for good and free %1?", nullptr, static_cast<int>(names.size()))
          .arg(bytesText(report.freedBytes)),
      shown, tr("Delete"), [this, options] { emptyForGood(options); });
}

void TrashPane::emptyForGood(const EmptyTrashOptions& asked) {
  EmptyTrashOptions options = asked;
  options.dryRun = false;
  auto* job = emptyTrashJob(bench_.store(), options);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    QStringList held;
    for (const EmptyTrashReport::Held& one : job->report().held) held << heldText(one);
    banner_.showNotice(held.isEmpty() ? Banner::Kind::Good : Banner::Kind::Trouble,
                       tr("Freed %1").arg(bytesText(job->report().freedBytes)), held.join(u'\n'));
    bench_.session().refresh();
  });
  bench_.write(job);
}

}  // namespace strata::gui
