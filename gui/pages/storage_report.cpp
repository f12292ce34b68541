#include <set>

#include "gui/models/parity_text.h"
#include "gui/models/wording.h"
#include "gui/pages/storage_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/workbench.h"

// What a check or a repair found and did, and what is offered for it.

namespace strata::gui {

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

}  // namespace strata::gui
