#include "gui/widgets/panes/bundle_import.h"

#include <QStringList>

#include "gui/jobs/remote_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// Versions that are new here, and those that were here without all of their objects.
int countOf(const PullReport& report) {
  return static_cast<int>(report.pulled.size() + report.completed.size());
}

QString namesOf(const PullReport& report) {
  QStringList names;
  for (const PullReport::Item& item : report.pulled) names << labelText(item.version);
  for (const VersionEntry& version : report.completed) names << labelText(version);
  for (const FailedTransfer& failed : report.failed) {
    names << text(failed.label) + QStringLiteral(": ") + text(failed.error.message);
  }
  return names.join(QStringLiteral(", "));
}

}  // namespace

BundleImport::BundleImport(Workbench& bench, Banner& banner, QObject* parent)
    : QObject(parent), bench_(bench), banner_(banner) {}

void BundleImport::offer(const QString& file) {
  banner_.clear();
  auto* job = lookIntoBundleJob(bench_.store(), file);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, file] { showPlan(file, job->report()); });
  connect(job, &Job::ended, this, &BundleImport::offered);
  bench_.read(job);
}

void BundleImport::showPlan(const QString& file, const PullReport& plan) {
  const QString name = file.section(u'/', -1);
  if (countOf(plan) == 0 && plan.failed.empty()) {
    banner_.showNotice(Banner::Kind::Good, tr("Everything in %1 is here already.").arg(name));
    return;
  }
  QStringList details{namesOf(plan)};
  for (const BaseElsewhere& base : plan.bases) {
    details << tr("It needs a base that is fetched from elsewhere: %1").arg(text(placeText(base)));
  }
  banner_.showNotice(Banner::Kind::Notice,
                     tr("New in %1: %n version(s), %2", nullptr, countOf(plan))
                         .arg(name, bytesText(plan.byteCount)),
                     details.join(u'\n'));
  const bool isElsewhere = !plan.bases.empty();
  banner_.addAction(tr("Copy as command"), [this, file, isElsewhere] {
    bench_.copy(bench_.command(QStringLiteral("bundle"))
                    .word(QStringLiteral("import"))
                    .word(file)
                    .flag(QStringLiteral("--fetch-bases"), isElsewhere)
                    .text(),
                tr("the command"));
  });
  if (countOf(plan) == 0) return;
  banner_.addAction(isElsewhere ? tr("Take them and fetch the base") : tr("Take them"),
                    [this, file, bases = plan.bases] { take(file, bases); });
}

void BundleImport::take(const QString& file, const std::vector<BaseElsewhere>& agreed) {
  auto* job = importBundleJob(bench_.store(), file, agreed);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    const PullReport& report = job->report();
    banner_.showNotice(report.failed.empty() ? Banner::Kind::Good : Banner::Kind::Trouble,
                       tr("Took %n version(s)", nullptr, countOf(report)), namesOf(report));
    bench_.session().refresh();
    emit taken();
  });
  bench_.write(job);
}

}  // namespace strata::gui
