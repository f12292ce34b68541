#include "cli/views/damage_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/views/damage_view.h"
#include "core/text/printable.h"

namespace strata::cli {
namespace {

bool hasKind(const VerifyReport& report, Damage::Kind kind) {
  return std::any_of(report.damages.begin(), report.damages.end(),
                     [&](const Damage& damage) { return damage.kind == kind; });
}

/// All of them together: none may stay that is a difference to one that goes.
void adviseToGiveUp(Output& output, const VerifyReport& report) {
  std::set<std::string> live(report.damagedVersions.begin(), report.damagedVersions.end());
  for (const std::string& label : report.damagedInTrash) live.erase(label);
  for (const std::string& label : report.damagedUnlisted) live.erase(label);
  if (!live.empty() && !report.damagedInTrash.empty()) {
    std::set<std::string> all(report.damagedInTrash.begin(), report.damagedInTrash.end());
    all.insert(live.begin(), live.end());
    output.advice(
        fmt::format("     or give up for good: strata remove {}, then", fmt::join(live, " ")));
    output.advice(fmt::format("     strata trash empty {}", fmt::join(all, " ")));
  } else if (!live.empty()) {
    output.advice(
        fmt::format("     or give up for good: strata remove --now {}", fmt::join(live, " ")));
  } else if (!report.damagedInTrash.empty()) {
    output.advice(fmt::format("     or give up what is in the trash: strata trash empty {}",
                              fmt::join(report.damagedInTrash, " ")));
  }
}

/// Each of these works by itself, and step by step in the order that is named.
void adviseOnObjects(Output& output, const VerifyReport& report,
                     const std::vector<std::string>& remotes) {
  const bool hasRefs = std::any_of(report.damages.begin(), report.damages.end(), isOfRefs);
  const bool hasParity = hasKind(report, Damage::Kind::Parity) || !report.rebuildable.empty();
  std::vector<std::string> repaired;
  if (hasRefs) repaired.emplace_back("refs and the catalog");
  if (hasParity) repaired.emplace_back("what parity brings back");
  for (const MendingModel& model : report.toAdd) {
    if (model.trashed.empty()) continue;
    repaired.push_back(fmt::format("{}, by {} in the trash", model.label, model.trashed));
  }
  if (!repaired.empty()) {
    output.advice(printable(fmt::format("Fix: strata verify --repair for {}, then",
                                        fmt::join(repaired, ", and for "))));
  }
  std::string start = repaired.empty() ? "Fix: " : "     ";
  for (const std::string& remote : remotes) {
    output.advice(printable(
        fmt::format("{}strata verify --repair --from {}, if it has the objects", start, remote)));
    start = "     ";
  }
  const std::string_view sources = remotes.empty() ? "REMOTE or --from FILE" : "FILE";
  output.advice(fmt::format("{}strata verify --repair --from {}, if a {}bundle has {}", start,
                            sources, remotes.empty() ? "remote or " : "",
                            remotes.empty() ? "the objects" : "them"));
  std::vector<std::string> models;
  std::vector<std::string> lossy;
  std::vector<std::string> weights;
  std::vector<std::string> files;
  for (const MendingModel& model : report.toAdd) {
    const bool hasName = !model.label.empty();
    models.push_back(hasName ? model.label
                             : "the model " + shortHex(model.contentDigest) + ", under any name");
    if (model.isWeightsOnly) {
      weights.push_back(model.label);
    } else if (model.lossy) {
      lossy.push_back(model.label);
    }
    if (hasName && !model.file.empty()) files.push_back(model.label + " is " + model.file);
  }
  if (!models.empty()) {
    const std::string& label = report.toAdd.front().label;
    const char* const way = models.size() == 1
                                ? "     or add it again, which repairs it: "
                                : "     or add these again, in this order, which repairs them: ";
    output.note(printable(way + listText(models)));
    output.advice(fmt::format("     strata add {} FILE; or copy the damaged files from a backup",
                              label.empty() ? "NAME" : label.substr(0, label.find(':'))));
  }
  if (!files.empty()) {
    output.note(printable("     The name of a file is part of its model: " + listText(files)));
  }
  if (!lossy.empty()) {
    output.note(
        printable(fmt::format("     Of a lossy version only files that it was restored to "
                              "are the same: {}",
                              listText(lossy))));
  }
  if (!weights.empty()) {
    output.note(printable(
        fmt::format("     Of a snapshot without its optimizer the checkpoint is the same without "
                    "its optimizer's files; \"strata watch DIR --run {} --once\" where the "
                    "checkpoint lies mends it as it is: {}",
                    weights.front().substr(0, weights.front().find(':')), listText(weights))));
  }
  adviseToGiveUp(output, report);
}

}  // namespace

void printDamages(Output& output, const VerifyReport& report,
                  const std::vector<std::string>& remotes) {
  if (report.sound()) return;
  const bool isFolderGone = hasKind(report, Damage::Kind::Folder);
  for (const Damage& damage : report.damages) {
    const bool isInFolder =
        damage.kind == Damage::Kind::Pack || damage.kind == Damage::Kind::ManifestObject;
    if (isFolderGone && isInFolder) continue;
    const std::string versions = fmt::format("{}", fmt::join(damage.versions, ", "));
    output.line(printable(
        fmt::format("  {}{}{}", versions, versions.empty() ? "" : "   ", findingText(damage))));
  }
  if (!adviseOnRemotes(output, report.damages)) return;
  const std::vector<Damage> damages = withoutRemotes(report.damages);
  const auto isOfCatalog = [](const Damage& one) { return one.kind == Damage::Kind::Catalog; };
  if (std::all_of(damages.begin(), damages.end(), isOfCatalog)) {
    output.advice("Fix: strata verify --rebuild-catalog");
  } else if (hasKind(report, Damage::Kind::Place)) {
    output.note("Fix: put the store's own files where a \"place\" is named, or nothing;");
    output.advice("     then strata verify --repair");
  } else if (std::all_of(damages.begin(), damages.end(), [&](const Damage& one) {
               return isOfRefs(one) || one.kind == Damage::Kind::Parity ||
                      report.rebuildable.contains(one.digest);
             })) {
    output.advice("Fix: strata verify --repair");
  } else {
    adviseOnObjects(output, report, remotes);
  }
}

}  // namespace strata::cli
