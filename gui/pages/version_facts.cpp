#include <QLabel>

#include "core/archive/write/summed_errors.h"
#include "gui/models/wording.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/dialogs/note_dialog.h"
#include "gui/widgets/views/fact_list.h"
#include "gui/widgets/workbench.h"

// What is known of a version: its size, lineage and provenance, and what a lossy one lost.

namespace strata::gui {

void VersionPage::showOverview(const ShowReport& report) {
  const VersionEntry& version = report.version;
  overview_->clear();
  overview_->addTitle(tr("Size"));
  overview_->add(tr("Original"), bytesText(version.originalBytes),
                 exactBytesText(version.originalBytes));
  overview_->add(tr("Stored"), storedText(version, report.taken),
                 exactBytesText(version.storedBytes));
  overview_->add(tr("Packs"), awaitedText(report.awaited), awaitedHint(report.awaited));
  overview_->add(tr("Ratio"), storedRatioText(version, report.taken),
                 tr("Original / stored; the base is not counted"));
  overview_->add(tr("Fidelity"), fidelityText(version));
  ExactTypes exact;
  for (const TensorRow& tensor : tensors_) exact.add(tensor.type);
  if (version.lossy) overview_->add(tr("Kept exactly"), exactTypesText(exact));
  if (version.hasChange()) {
    const QString change = changeText(version);
    overview_->add(
        tr("Change"),
        report.changeCountsIntegers ? tr("%1, integers counted as weights").arg(change) : change,
        tr("L2 norm of the difference, relative to the parent; of floating-point "
           "weights"));
  }
  overview_->addTitle(tr("Lineage"));
  overview_->add(tr("Base"), version.isBase() ? tr("is a base itself") : text(report.baseLabel));
  overview_->add(tr("Against"), text(report.parentLabel));
  overview_->add(tr("Depth"), QString::number(version.depth),
                 tr("Versions that are decoded before this one"));
  overview_->add(tr("Differences to it"), joined(report.dependants, QStringLiteral(", ")));
  overview_->addTitle(tr("Model"));
  overview_->add(tr("Format"), text(version.format));
  overview_->add(tr("Files"), tr("%n file(s)", nullptr, static_cast<int>(version.fileCount)));
  for (const FileRow& file : report.files) {
    overview_->add(QStringLiteral("  ") + text(file.path),
                   tr("%1   sha256 %2").arg(bytesText(file.byteCount), hashText(file.sha256)),
                   text(toHex(file.sha256)));
  }
  overview_->add(tr("Tensors"), tensorCounts_->text());
  overview_->add(tr("Profile"), text(version.profile));
  overview_->add(tr("Effort"), text(version.effort));
  overview_->addTitle(tr("Provenance"));
  overview_->add(tr("Added"), dateText(version.addedAt));
  if (const SnapshotPtr& snapshot = bench_.session().snapshot()) {
    const std::int64_t damagedAt = snapshot->damagedAt(version);
    overview_->add(tr("Verified"), verifiedText(version, damagedAt),
                   verifiedHint(version, damagedAt));
  }
  overview_->add(tr("Tags"), joined(version.tags, QStringLiteral(", ")));
  overview_->add(tr("License"), text(version.license));
  overview_->add(tr("Source"), text(version.sourceUrl));
  overview_->addWithButton(tr("Note"), text(version.note), noteButton(bench_, label_));
  overview_->add(tr("Content"), text(toHex(version.contentDigest)));
  overview_->add(tr("Manifest"), text(toHex(version.manifestDigest)));
  overview_->add(tr("Packs"), tr("%n pack(s)", nullptr, static_cast<int>(report.packs.size())));
}

void VersionPage::showQuality(const ShowReport& report) {
  quality_->clear();
  if (!report.version.lossy) {
    quality_->addTitle(tr("Exact"));
    quality_->addText(
        tr("This version restores to the same bytes as the model that was added, so "
           "its quality is that of the model."));
    return;
  }
  quality_->addTitle(tr("Weights"));
  quality_->add(tr("Relative error"), errorText(report.relativeError),
                hasSummedErrors(report.metadata)
                    ? tr("The sum of two losses: what was quantized was lossy itself")
                    : tr("L2 norm of the error, relative to the difference to the parent"));
  showMoments(report.roleErrors);
  quality_->addTitle(tr("Scores"));
  for (const QualityScore& quality : report.quality) {
    quality_->addText(numberText(qualityText(quality)));
  }
  if (report.quality.empty()) {
    quality_->addText(tr("Not measured: the version was added without an evaluator."));
  }
}

void VersionPage::showMoments(const std::vector<RoleError>& errors) {
  if (errors.empty()) return;
  quality_->addTitle(tr("Optimizer"));
  for (const RoleError& error : errors) {
    QString lost = tr("%1 of their size").arg(errorText(error.relativeError));
    if (error.relativeError == 1) lost = tr("dropped: they restore to 0");
    if (error.exact != 0) {
      lost += QStringLiteral("; ") +
              tr("%n tensor(s) of them kept exactly", nullptr, static_cast<int>(error.exact));
    }
    const bool isFirst = error.kind == TensorKind::FirstMoment;
    quality_->add(isFirst ? tr("First moments") : tr("Second moments"), lost,
                  tr("L2 norm of the error, relative to the moments themselves"));
  }
}

}  // namespace strata::gui
