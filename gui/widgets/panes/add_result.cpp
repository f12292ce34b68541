#include "gui/widgets/panes/add_result.h"

#include <QCoreApplication>
#include <QStringList>

#include "gui/models/wording.h"
#include "gui/widgets/views/fact_list.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::AddResult)
};

}  // namespace

QString addedText(const AddReport& report) {
  const QString label = labelText(report.version);
  switch (report.outcome) {
    case AddReport::Outcome::Shared:
      return Words::tr("Stored %1: the same content as %2, so nothing was added")
          .arg(label, text(report.sharedLabel));
    case AddReport::Outcome::Unchanged:
      return Words::tr("%1 has this content already; there is no new version").arg(label);
    case AddReport::Outcome::Repaired:
      return Words::tr("%1 was damaged and has been repaired").arg(label);
    case AddReport::Outcome::Completed:
      return Words::tr("%1 has this content already; its packs were not here, and are now")
          .arg(label);
    case AddReport::Outcome::Stored:
    case AddReport::Outcome::DryRun:
      break;
  }
  return Words::tr("Stored %1").arg(label);
}

QString missedText(const AddOutcome& outcome) {
  const TuneReport& tune = *outcome.tune;
  const Trial* const nearest = tune.chosen();
  if (nearest == nullptr) return Words::tr("No settings could be measured.");
  const SearchTarget& target = outcome.target;
  const int count = static_cast<int>(tune.search.trials.size());
  if (target.bytes) {
    return Words::tr("At most %1 may be stored; the nearest of %n trial(s) takes %2.", nullptr,
                     count)
        .arg(bytesText(*target.bytes), bytesText(nearest->measured.storedBytes));
  }
  if (target.error) {
    return Words::tr("The relative error may be at most %1; the nearest of %n trial(s) has %2.",
                     nullptr, count)
        .arg(errorText(*target.error), errorText(nearest->measured.relativeError));
  }
  const QString scores = tune.choice ? numberText(scoreChangeText(*tune.choice)) : QString();
  return Words::tr("At most %1 points may be lost; the nearest of %n trial(s) loses %2: %3.",
                   nullptr, count)
      .arg(shortNumberText(target.qualityLoss.value_or(0)),
           decimalText(nearest->loss.value_or(0), 2), scores);
}

void showAdded(FactList& list, const AddOutcome& outcome) {
  const AddReport& report = *outcome.added;
  list.addTitle(labelText(report.version));
  list.add(Words::tr("Size"),
           Words::tr("%1 -> %2   %3")
               .arg(bytesText(report.version.originalBytes), bytesText(report.version.storedBytes),
                    ratioText(report.version.ratio())));
  list.add(Words::tr("Base"), text(report.baseLabel));
  list.add(Words::tr("Against"), text(report.parentLabel));
  list.add(Words::tr("Fidelity"), fidelityText(report.version));
  list.add(Words::tr("Tensors"), Words::tr("%1 changed, %2 same, %3 new")
                                     .arg(report.version.changedTensors)
                                     .arg(report.version.sameTensors)
                                     .arg(report.version.newTensors));
  if (outcome.tune && outcome.tune->choice) {
    list.add(Words::tr("Quality"), numberText(scoreChangeText(*outcome.tune->choice)));
  } else if (report.version.lossy) {
    list.add(Words::tr("Quality"), Words::tr("not measured"));
  }
  QStringList exact{exactTypesText(report.exactTypes),
                    joined(report.keptExact, QStringLiteral("\n"))};
  exact.removeAll(QString());
  list.add(Words::tr("Kept exactly"), exact.join(u'\n'));
  list.add(Words::tr("Repaired"), joined(report.repaired, QStringLiteral(", ")));
  list.add(Words::tr("Time"), Words::tr("%1 s").arg(decimalText(report.seconds, 1)));
}

}  // namespace strata::gui
