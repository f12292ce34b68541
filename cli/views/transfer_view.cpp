#include "cli/views/transfer_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal.h"
#include "cli/views/remote_view.h"
#include "cli/views/transfer_words.h"
#include "cli/views/version_view.h"
#include "core/text/wording.h"

namespace strata::cli {

std::string whereText(const TransferRequest& request) {
  const bool isPush = request.direction == TransferRequest::Direction::Push;
  return (isPush ? "push to " : "pull from ") + request.remote;
}

std::string whatText(const TransferRequest& request) {
  if (request.references.empty()) return "all versions";
  return fmt::format("{}", fmt::join(request.references, ", "));
}

ExitCode printPulled(Output& output, const PullReport& report, const std::string& remote,
                     bool dryRun) {
  Json pulled = Json::array();
  for (const PullReport::Item& item : report.pulled) {
    pulled.push_back({{"ref", item.version.label()},
                      {"remote_number", item.remoteNumber},
                      {"hash", toHex(item.version.contentDigest)},
                      {"bytes", item.fetchedBytes}});
    output.essential(item.version.label());
    std::string line = fmt::format("{} {}  {}", dryRun ? "Would pull" : "Pulled",
                                   item.version.label(), wordBytes(item.fetchedBytes));
    if (!dryRun && item.remoteNumber != item.version.number) {
      line += fmt::format("  (v{} on {}: that number is taken here)", item.remoteNumber, remote);
    }
    if (item.wasRemoved) line += "  (out of the trash)";
    if (item.version.isUnlisted) line += kNameless;
    output.line(printable(line));
  }
  for (const BaseElsewhere& base : report.bases) {
    if (dryRun) output.line(printable("Would fetch the base " + placeText(base)));
  }
  for (const VersionEntry& version : report.completed) {
    output.line(fmt::format("{} {}", dryRun ? "Would complete" : "Completed", version.label()));
  }
  output.event("result", {{"remote", remote},
                          {"dry_run", dryRun},
                          {"pulled", std::move(pulled)},
                          {"completed", labelsOf(report.completed)},
                          {"already_here", labelsOf(report.alreadyHere)},
                          {"bases", basesJson(report.bases)},
                          {"failed", failuresJson(report.failed)},
                          {"tags", tagsJson(report.tags)},
                          {"tags_elsewhere", report.tagsElsewhere},
                          {"tags_of_other_snapshots", report.tagsOfOtherSnapshots},
                          {"notes", report.notes},
                          {"notes_elsewhere", report.notesElsewhere},
                          {"modes_elsewhere", report.modesElsewhere},
                          {"objects", report.objectCount},
                          {"bytes", report.byteCount},
                          {"kept_bytes", report.keptBytes},
                          {"free_bytes", dryRun ? Json(report.freeBytes) : Json(nullptr)},
                          {"problems", report.problems}});
  printFailures(output, report.failed);
  if (!report.replaced.empty()) {
    output.note(printable(fmt::format(
        "Not pulled again, as other versions have their places here: {}{}; by name they come",
        report.replaced.front(),
        report.replaced.size() == 1 ? ""
                                    : fmt::format(" and {} more", report.replaced.size() - 1))));
  }
  for (const std::string& text : report.problems) output.warning(printable(text));
  for (const std::string& tag : report.tagsElsewhere) {
    output.warning(printable(fmt::format(
        "tag {} is another here, or was removed here, and stays so; --force-tag takes that of {}",
        tag, remote)));
  }
  for (const std::string& tag : report.tagsOfOtherSnapshots) {
    output.note(
        printable(fmt::format("tag {} is another snapshot's on {} and stays so", tag, remote)));
  }
  for (const PullReport::Tag& tag : report.tags) {
    const std::string from = tag.from.empty() ? std::string{} : ", before " + tag.from;
    output.line(printable(
        fmt::format("Tag {} {} {}{}", tag.tag, dryRun ? "would be" : "is now", tag.to, from)));
  }
  printNotes(output, report.notesElsewhere, remote);
  printModes(output, report.modesElsewhere, remote);
  for (const std::string& label : report.notes) {
    output.line(
        printable(fmt::format("{} the note of {}", dryRun ? "Would pull" : "Pulled", label)));
  }
  const bool isNothing = report.pulled.empty() && report.completed.empty();
  if (dryRun) {
    std::string line =
        fmt::format("Would fetch {}, {} from {}, {} free", wordCount(report.objectCount, "object"),
                    wordBytes(report.byteCount), remote, wordBytes(report.freeBytes));
    if (report.keptBytes > 0) line += fmt::format("  ({} is here)", wordBytes(report.keptBytes));
    output.line(printable(line));
    output.note("Nothing was fetched.");
  } else if (isNothing && report.failed.empty() && report.tags.empty() && report.notes.empty()) {
    output.line(printable(fmt::format("Nothing new on {}: {} here already", remote,
                                      wordCount(report.alreadyHere.size(), "version"))));
  } else if (!isNothing) {
    output.line(
        printable(fmt::format("Fetched {}, {} from {}", wordCount(report.objectCount, "object"),
                              wordBytes(report.byteCount), remote)));
  }
  const bool leavesSome = report.unreadCount > 0 || (!report.tagsElsewhere.empty() && !dryRun);
  return transferExit(report.failed, !isNothing, leavesSome);
}

}  // namespace strata::cli
