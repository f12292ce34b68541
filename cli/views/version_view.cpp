#include "cli/views/version_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/views/role_view.h"
#include "core/store/run_tags.h"
#include "core/text/wording.h"

namespace strata::cli {

Json toJson(const VersionEntry& version) {
  Json json{
      {"ref", version.label()},
      {"name", version.name},
      {"number", version.number},
      {"hash", toHex(version.contentDigest)},
      {"manifest", toHex(version.manifestDigest)},
      {"parent_hash", nullptr},
      {"is_base", version.isBase()},
      {"depth", version.depth},
      {"format", version.format},
      {"profile", version.profile},
      {"effort", version.effort},
      {"lossy", version.lossy},
      {"original_bytes", version.originalBytes},
      {"stored_bytes", version.storedBytes},
      {"ratio", version.storedBytes == 0 ? Json(nullptr) : Json(version.ratio())},
      {"relative_change", version.hasChange() ? Json(version.relativeChange) : Json(nullptr)},
      {"files", version.fileCount},
      {"tensors", version.tensorCount},
      {"tensors_changed", version.changedTensors},
      {"tensors_same", version.sameTensors},
      {"tensors_new", version.newTensors},
      {"tags", version.tags},
      {"note", orNull(version.note)},
      {"license", orNull(version.license)},
      {"source", orNull(version.sourceUrl)},
      {"added", isoDate(version.addedAt)},
  };
  if (version.parentDigest) json["parent_hash"] = toHex(*version.parentDigest);
  json["checked"] = version.checkedAt == 0 ? Json(nullptr) : Json(isoDate(version.checkedAt));
  if (version.removedAt != 0) json["removed"] = isoDate(version.removedAt);
  return json;
}

Json toJson(const ListRow& row) {
  Json json = toJson(row.version);
  json["parent"] = row.parentLabel.empty() ? Json(nullptr) : Json(row.parentLabel);
  json["base"] = row.baseLabel.empty() ? Json(nullptr) : Json(row.baseLabel);
  json["here"] = row.awaited.isHere();
  json["awaited_packs"] = row.awaited.packCount;
  json["awaited_bytes"] = row.awaited.byteCount;
  json["own_bytes"] = row.taken ? Json(row.taken->own) : Json(nullptr);
  json["shared_bytes"] = row.taken ? Json(row.taken->shared) : Json(nullptr);
  return json;
}

Json toJson(const StoreTotals& totals) {
  return {{"versions", totals.versionCount},
          {"bases", totals.baseCount},
          {"original_bytes", totals.originalBytes},
          {"store_bytes", totals.objectBytes},
          {"awaited_versions", totals.awaitedVersions},
          {"awaited_packs", totals.awaitedPacks},
          {"awaited_bytes", totals.awaitedBytes},
          {"store_ratio", totals.storeRatio()}};
}

Json toJson(const ListedTotals& listed) {
  return {{"versions", listed.versionCount},
          {"original_bytes", listed.originalBytes},
          {"object_bytes", listed.objectBytes}};
}

Json toJson(const std::vector<UnnamedModel>& models) {
  Json all = Json::array();
  for (const UnnamedModel& model : models) {
    all.push_back({{"hash", toHex(model.contentDigest)},
                   {"format", model.format},
                   {"bytes", model.originalBytes}});
  }
  return all;
}

Json labelsOf(const std::vector<VersionEntry>& versions) {
  Json labels = Json::array();
  for (const VersionEntry& version : versions) labels.push_back(version.label());
  return labels;
}

std::string tensorCounts(const VersionEntry& version) {
  if (version.isBase()) return std::to_string(version.tensorCount);
  std::string text;
  const auto add = [&](std::uint32_t count, std::string_view what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(version.changedTensors, "changed");
  add(version.sameTensors, "same");
  add(version.newTensors, "new");
  return text.empty() ? "no tensors" : text;
}

std::string storedText(const VersionEntry& version, const std::optional<TakenBytes>& taken) {
  if (!taken) return wordBytes(version.storedBytes);
  return taken->own > 0 ? wordBytes(taken->own) : "shares " + wordBytes(taken->shared);
}

std::string ratioText(const VersionEntry& version, const std::optional<TakenBytes>& taken) {
  if (!taken) return wordRatio(version.ratio());
  if (taken->own == 0) return "-";
  return wordRatio(static_cast<double>(version.originalBytes) / static_cast<double>(taken->own));
}

std::string sizeText(const VersionEntry& version, const std::optional<TakenBytes>& taken) {
  const std::string ratio = ratioText(version, taken);
  return fmt::format("{} -> {}{}", wordBytes(version.originalBytes), storedText(version, taken),
                     taken && taken->own == 0 ? "" : "   " + ratio);
}

std::string changeText(const ListRow& row) {
  if (!row.version.hasChange()) return "-";
  const std::string change = wordChangeOf(row.version);
  return row.parentLabel == row.baseLabel ? change : change + " to " + row.parentLabel;
}

std::string comparedBytes(std::uint64_t bytes, std::uint64_t other) {
  if (bytes == other) return wordBytes(bytes) + ", too";
  if (wordBytes(bytes) != wordBytes(other)) {
    return fmt::format("{} instead of {}", wordBytes(bytes), wordBytes(other));
  }
  return fmt::format("{} instead of {}", wordCount(bytes, "byte"), wordCount(other, "byte"));
}

std::string_view fidelity(const VersionEntry& version) noexcept {
  return isWeightsOnly(version) ? kWeightsOnly : version.lossy ? "lossy" : "exact";
}

std::string tagsText(const VersionEntry& version) {
  return fmt::format("{}", fmt::join(version.tags, ", "));
}

std::string totalsText(const StoreTotals& totals) {
  std::string text = fmt::format("{} on disk for {} of models ({})", wordBytes(totals.objectBytes),
                                 wordBytes(totals.originalBytes), wordRatio(totals.storeRatio()));
  if (totals.awaitedPacks != 0) {
    text += fmt::format("; {} of packs not here", wordBytes(totals.awaitedBytes));
  }
  return text;
}

std::string listedText(const ListedTotals& listed) {
  return fmt::format("Listed: {}, {} of objects for {} of models",
                     wordCount(listed.versionCount, "version"), wordBytes(listed.objectBytes),
                     wordBytes(listed.originalBytes));
}

std::string awaitedText(const AwaitedAmount& awaited) {
  if (awaited.isHere()) return {};
  if (awaited.byteCount == 0) return "not here, " + wordCount(awaited.packCount, "pack");
  return fmt::format("not here, {} to fetch", wordBytes(awaited.byteCount));
}

std::string_view outcomeWord(AddReport::Outcome outcome) noexcept {
  switch (outcome) {
    case AddReport::Outcome::Stored:
      return "stored";
    case AddReport::Outcome::Shared:
      return "shared";
    case AddReport::Outcome::Unchanged:
      return "unchanged";
    case AddReport::Outcome::Repaired:
      return "repaired";
    case AddReport::Outcome::Completed:
      return "completed";
    case AddReport::Outcome::DryRun:
      return "dry_run";
  }
  return "stored";
}

namespace {

std::string headline(const AddReport& report) {
  const std::string label = report.version.label();
  const std::string hash = shortHex(report.version.contentDigest);
  switch (report.outcome) {
    case AddReport::Outcome::Stored:
      break;
    case AddReport::Outcome::Shared:
      return fmt::format("Stored {}  {}  same content as {}{}", label, hash, report.sharedLabel,
                         report.hasOtherModes ? ", but other file permissions" : "");
    case AddReport::Outcome::Unchanged:
      return fmt::format("Unchanged {}  {}  it is this content already", label, hash);
    case AddReport::Outcome::Repaired:
      return fmt::format("Unchanged {}  {}  it {} anew", label, hash,
                         report.dryRun ? "would be written" : "was written");
    case AddReport::Outcome::Completed:
      return fmt::format("Unchanged {}  {}  it is this content already; its packs {}", label, hash,
                         report.dryRun ? "would be here then" : "were not here, and are now");
    case AddReport::Outcome::DryRun:
      return fmt::format("Would store {}  {}{}", label, hash,
                         report.hasOtherModes
                             ? "  same content as the version before, but other file permissions"
                             : "");
  }
  return fmt::format("Stored {}  {}", label, hash);
}

void printDetails(Output& output, const AddReport& report) {
  const VersionEntry& version = report.version;
  output.line("  size    " + sizeText(version));
  if (!version.isBase()) {
    std::string base = report.baseLabel + (report.baseWasChosen ? " (best match)" : "");
    if (report.parentLabel != report.baseLabel) base += ", as a change to " + report.parentLabel;
    output.line(printable("  base    " + base));
  }
  output.line("  tensors " + tensorCounts(version));
  output.line(fmt::format("  {}, decoded and compared, {}",
                          version.lossy ? "lossy" : "exact: comes back byte for byte",
                          wordElapsed(report.seconds)));
  for (const std::string& text : roleErrorTexts(report.roleErrors)) {
    output.line("  error   " + text);
  }
}

/// What of tags and notes was something else before.
void printAnnotations(Output& output, const AddReport& report) {
  for (const std::string& tag : report.newTags) {
    output.line(fmt::format("  tag     {} {}", tag, report.dryRun ? "would be set" : "is set"));
  }
  for (const MovedTag& moved : report.movedTags) {
    output.line(fmt::format("  tag     {} {} moved from {}", moved.tag,
                            report.dryRun ? "would be" : "is", moved.from));
  }
  if (report.hasNewSource) {
    output.line(printable("  source  " + report.version.sourceUrl));
  }
  if (!report.hasNewNote) return;
  const std::string former =
      report.formerNote.empty() ? std::string{} : fmt::format(", before \"{}\"", report.formerNote);
  output.line(printable(fmt::format("  note    \"{}\"{}", report.version.note, former)));
}

/// Bytes that the model would take as a difference to a base.
std::uint64_t estimatedBytes(const BaseCandidate& base, const VersionEntry& version) {
  return static_cast<std::uint64_t>(base.estimatedShare *
                                    static_cast<double>(version.originalBytes));
}

Json toJson(const std::vector<BaseCandidate>& bases, const VersionEntry& version) {
  Json rows = Json::array();
  for (const BaseCandidate& base : bases) {
    rows.push_back({{"base", base.version.label()},
                    {"matched_share", base.matchedShare},
                    {"estimated_bytes", estimatedBytes(base, version)},
                    {"serves", base.serves}});
  }
  return rows;
}

/// The one that the model was coded against has the size that came of it. All others are judged by
/// samples, which see no low rank: that is an upper bound, but for what samples may be off by.
void printBases(Output& output, const std::vector<BaseCandidate>& bases, const AddReport& report) {
  const VersionEntry& version = report.version;
  constexpr std::size_t kMostShown = 5;
  output.line("Bases, by what the model would take against each:");
  const auto shown = std::span(bases).first(std::min(kMostShown, bases.size()));
  const bool isParentShown = std::ranges::any_of(
      shown, [&](const BaseCandidate& base) { return base.version.label() == report.parentLabel; });
  // Versions that are not ranked by samples may serve, too: lossy ones, with --chain and --base.
  if (!isParentShown && !report.parentLabel.empty() && !version.lossy) {
    output.line(printable(
        fmt::format("  {}   {} as coded", report.parentLabel, wordBytes(version.storedBytes))));
  }
  for (const BaseCandidate& base : shown) {
    const bool isCoded = base.version.label() == report.parentLabel && !version.lossy;
    const std::string size = isCoded ? wordBytes(version.storedBytes) + " as coded"
                                     : "at most about " + wordBytes(estimatedBytes(base, version));
    output.line(printable(fmt::format("  {}   {}, a like weight for {} of the bytes{}",
                                      base.version.label(), size, wordShare(base.matchedShare),
                                      base.serves ? "" : "; poor match")));
  }
  if (bases.size() > kMostShown) {
    output.line(fmt::format("  and {} more", bases.size() - kMostShown));
  }
}

}  // namespace

void printDoubts(Output& output, const AddReport& report) {
  const std::string label = report.version.label();
  if (const auto& misfit = report.misfit) {
    const std::string& better = misfit->better;
    const std::string way = better.empty() ? std::string("no base of the store is like it")
                            : report.dryRun || report.version.lossy
                                ? fmt::format("--base {} is like it", better)
                                : fmt::format("strata recode {} --base {}", label, better);
    output.warning(output.advised(fmt::format(
        "next to nothing of {} is like this model; {}{}", misfit->base,
        better.empty() || report.dryRun || report.version.lossy ? "" : better + " is like it: ",
        way)));
  }
  if (!report.unlikeBase.empty()) {
    output.warning(fmt::format(
        "next to nothing of {} is like this model, so it {} as a base of its own; --base REF names "
        "another",
        report.unlikeBase, report.dryRun ? "would be stored" : "is stored"));
  }
  if (!report.parentPull.empty() && !report.damagedParent.empty()) {
    output.warning(output.advised(fmt::format(
        "the packs of {} or of a parent of it are not here, so this is no difference to it; {} "
        "brings them, if the remote has them",
        report.damagedParent, report.parentPull)));
  } else if (!report.damagedParent.empty()) {
    output.warning(output.advised(fmt::format(
        "{} is damaged, so this is no difference to it; strata verify says what repairs it",
        report.damagedParent)));
  }
  if (report.exactBytes && *report.exactBytes <= report.version.storedBytes) {
    output.warning(fmt::format("{}: the exact version would be no larger: {}", label,
                               comparedBytes(*report.exactBytes, report.version.storedBytes)));
  } else if (report.exactBytes) {
    output.warning(
        fmt::format("{}: the exact version is small enough, too: {}; it is "
                    "stored where no target is given",
                    label, wordBytes(*report.exactBytes)));
  }
  if (report.keepsNoChange()) {
    output.warning(fmt::format(
        "{} restores to the weights of {} itself{}: nothing of the change was kept", label,
        report.parentLabel, report.version.newTensors > 0 ? ", but for those that are new" : ""));
  }
  // Where a score was measured, that counts.
  if (report.isFurtherThanParent() && report.quality.empty()) {
    output.warning(label + ": " + fartherText(*report.relativeError, report.parentLabel));
  }
}

void printAdded(Output& output, const AddReport& report, const std::string& path,
                const std::vector<BaseCandidate>* bases) {
  const VersionEntry& version = report.version;
  const bool isDry = report.dryRun;
  Json fields{{"outcome", outcomeWord(report.outcome)}, {"path", path}};
  fields["version"] = toJson(version);
  fields["version"]["parent"] = orNull(report.parentLabel);
  fields["version"]["base"] = orNull(report.baseLabel);
  fields["shared_with"] = orNull(report.sharedLabel);
  fields["base_was_chosen"] = report.baseWasChosen;
  fields["base_misfit"] =
      report.misfit ? Json{{"base", report.misfit->base}, {"better", orNull(report.misfit->better)}}
                    : Json(nullptr);
  fields["unlike_base"] = orNull(report.unlikeBase);
  fields["damaged_parent"] = orNull(report.damagedParent);
  fields["moved_tags"] = Json::array();
  for (const MovedTag& moved : report.movedTags) {
    fields["moved_tags"].push_back({{"tag", moved.tag}, {"from", moved.from}});
  }
  fields["note_changed"] = report.hasNewNote;
  fields["modes_changed"] = report.hasOtherModes;
  fields["exact_bytes"] = report.exactBytes ? Json(*report.exactBytes) : Json(nullptr);
  fields["relative_error"] = report.relativeError ? Json(*report.relativeError) : Json(nullptr);
  fields["role_errors"] = toJson(report.roleErrors);
  fields["repaired"] = report.repaired;
  fields["completed"] = report.completed;
  fields["new_tags"] = report.newTags;
  fields["kept_exact"] = report.keptExact;
  fields["exact_types"] = {{"tensors", report.exactTypes.tensorCount},
                           {"types", report.exactTypes.names}};
  fields["seconds"] = report.seconds;
  fields["bases"] = bases == nullptr ? Json(nullptr) : toJson(*bases, version);
  output.event("result", std::move(fields));
  output.essential(toHex(version.contentDigest));
  if (!report.repaired.empty()) {
    output.line(printable(fmt::format("{}: {}", isDry ? "Would repair" : "Repaired",
                                      fmt::join(report.repaired, ", "))));
  }
  if (!report.completed.empty()) {
    output.line(printable(fmt::format("{}: {}", isDry ? "Would complete" : "Completed",
                                      fmt::join(report.completed, ", "))));
  }
  output.line(headline(report));
  const bool isNew =
      report.outcome == AddReport::Outcome::Stored || report.outcome == AddReport::Outcome::DryRun;
  if (isNew) printDetails(output, report);
  printAnnotations(output, report);
  if (isNew) printDoubts(output, report);
  const bool hasBase = bases != nullptr && (!bases->empty() || !report.parentLabel.empty());
  if (isNew && hasBase) printBases(output, *bases, report);
  if (isDry) output.line("Nothing was written.");
}

std::string fartherText(double relativeError, const std::string& parentLabel) {
  return fmt::format(
      "the error is {}, and that of {} itself is 1; smaller steps lessen it, and add --target "
      "error=0.1 finds some; a score tells whether the model bears it",
      wordError(relativeError), parentLabel);
}

}  // namespace strata::cli
