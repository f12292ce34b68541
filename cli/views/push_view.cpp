#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "cli/terminal.h"
#include "cli/views/remote_view.h"
#include "cli/views/transfer_view.h"
#include "cli/views/transfer_words.h"
#include "cli/views/version_view.h"
#include "core/store/refs/reference.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

/// Of a version alone: plain files, and the list that the store keeps, fail with that code, too.
bool isNumberTaken(const FailedTransfer& failed) {
  const auto reference = parseReference(failed.label);
  return failed.error.code == ErrorCode::InvalidArgument && reference &&
         reference->kind == Reference::Kind::Number;
}

/// What sends versions whose numbers others have on the remote.
void printRenumbering(Output& output, const std::vector<FailedTransfer>& failed,
                      const std::string& remote) {
  constexpr std::size_t kMostLabels = 4;
  std::vector<std::string> labels;
  for (const FailedTransfer& one : failed) {
    if (isNumberTaken(one)) labels.push_back(one.label);
  }
  if (labels.empty()) return;
  const std::string words =
      labels.size() > kMostLabels ? std::string() : fmt::format("{} ", fmt::join(labels, " "));
  output.advice("Fix: strata push --renumber " + words + shellWord(remote));
}

/// "4 objects (2 packs, 2 manifests), 30.0 MB"
std::string objectsText(const PushReport& report) {
  return fmt::format("{} ({}, {}), {}",
                     wordCount(report.packCount + report.manifestCount, "object"),
                     wordCount(report.packCount, "pack"),
                     wordCount(report.manifestCount, "manifest"), wordBytes(report.byteCount));
}

Json plainJson(const PushReport& report) {
  if (!report.plain) return nullptr;
  return {{"version", report.plain->version},
          {"files", report.plain->fileCount},
          {"bytes", report.plain->byteCount},
          {"sent_bytes", report.plain->sentBytes},
          {"left_out", report.plain->leftOut}};
}

/// Versions that have a lower number there than their parents.
Json turnedJson(const std::vector<PushReport::Turned>& turned) {
  Json list = Json::array();
  for (const PushReport::Turned& one : turned) {
    list.push_back({{"version", one.version}, {"parent", one.parent}});
  }
  return list;
}

Json leftOutJson(const std::vector<LeftOutBase>& bases) {
  Json list = Json::array();
  for (const LeftOutBase& one : bases) {
    list.push_back({{"ref", one.version.label()},
                    {"url", orNull(one.url)},
                    {"hash", toHex(one.version.contentDigest)},
                    {"bytes", one.version.originalBytes}});
  }
  return list;
}

/// What a receiver needs of bases that stay out.
void printLeftOut(Output& output, const std::vector<LeftOutBase>& bases) {
  for (const LeftOutBase& one : bases) {
    const std::string what =
        fmt::format("{} stays out, {}, content {}", one.version.label(),
                    wordBytes(one.version.originalBytes), toHex(one.version.contentDigest));
    if (one.url.empty()) {
      output.warning(printable(fmt::format(
          "{}: receivers must have it; \"strata source {} URL\" says where it can be fetched", what,
          one.version.label())));
    } else {
      output.line(printable(fmt::format("{}: receivers fetch it from {}", what, one.url)));
    }
  }
}

/// What became of plain files, or of those that stand there from an earlier push.
void printPlain(Output& output, const PushReport& report, bool dryRun) {
  if (report.plain) {
    const PushReport::Plain& plain = *report.plain;
    const bool isSent = plain.sentBytes > 0;
    output.line(
        printable(fmt::format("Plain files of {}: {}, {}{}", plain.version,
                              wordCount(plain.fileCount, "file"), wordBytes(plain.byteCount),
                              !isSent ? "  (already there)"
                                      : fmt::format("  ({} {})", dryRun ? "would send" : "sent",
                                                    wordBytes(plain.sentBytes)))));
    for (const std::string& path : plain.leftOut) {
      output.note(printable(path + ": is left out, the remote has one of its own"));
    }
  } else if (!report.plainStanding.empty() && !report.pushed.empty()) {
    output.note(printable(fmt::format(
        "The plain files there are those of {}; --plain replaces them", report.plainStanding)));
  }
}

Json renumberedJson(const PushReport& report) {
  Json list = Json::array();
  for (const PushReport::Renumbered& one : report.renumbered) {
    list.push_back({{"ref", one.version.label()},
                    {"remote_ref", one.there()},
                    {"here_too", one.isHereToo},
                    {"other", one.other ? Json(shortHex(*one.other)) : Json(nullptr)}});
  }
  return list;
}

/// One model has two numbers then, and one number may mean two models.
void printRenumbered(Output& output, const PushReport& report, const std::string& remote,
                     bool dryRun) {
  constexpr std::size_t kMost = 8;
  const std::size_t count = std::min(kMost, report.renumbered.size());
  for (const PushReport::Renumbered& one : std::span(report.renumbered).first(count)) {
    const std::string label = one.version.label();
    const std::string other =
        one.other ? fmt::format("; {} there is another model (@{})", label, shortHex(*one.other))
                  : std::string();
    const std::string line =
        one.isHereToo
            ? fmt::format("{} is called {} from now on, here and on {}", label, one.there(), remote)
            : fmt::format("{} {} called {} on {}", label, dryRun ? "would be" : "is", one.there(),
                          remote);
    output.note(printable(line + other));
  }
  if (report.renumbered.size() > kMost) {
    output.note(printable(
        fmt::format("{} more have other numbers on {}", report.renumbered.size() - kMost, remote)));
  }
}

Json problemsJson(const PushReport& report) {
  Json list = Json::array();
  if (!report.olderList.empty()) list.push_back(report.olderList);
  return list;
}

}  // namespace

ExitCode printPushed(Output& output, const PushReport& report, const std::string& remote,
                     bool dryRun) {
  Json pushed = Json::array();
  for (const PushReport::Item& item : report.pushed) {
    const std::string there = fmt::format("{}:v{}", item.version.name, item.remoteNumber);
    pushed.push_back({{"ref", item.version.label()},
                      {"remote_ref", there},
                      {"hash", toHex(item.version.contentDigest)},
                      {"bytes", item.sentBytes},
                      {"nameless", item.isNameless}});
    output.essential(there);
    std::string line = fmt::format("{} {}  {}", dryRun ? "Would push" : "Pushed",
                                   item.version.label(), wordBytes(item.sentBytes));
    if (item.remoteNumber != item.version.number) line += " as " + there;
    if (item.isNameless) line += kNameless;
    output.line(line);
  }
  output.event("result", {{"remote", remote},
                          {"dry_run", dryRun},
                          {"pushed", std::move(pushed)},
                          {"already_there", labelsOf(report.alreadyThere)},
                          {"mended", report.mended},
                          {"list_mended", report.listMended},
                          {"failed", failuresJson(report.failed)},
                          {"turned", turnedJson(report.turned)},
                          {"renumbered", renumberedJson(report)},
                          {"bases_left_out", leftOutJson(report.leftOut)},
                          {"tags", tagsJson(report.tags)},
                          {"tags_elsewhere", report.tagsElsewhere},
                          {"tags_of_other_snapshots", report.tagsOfOtherSnapshots},
                          {"tags_moved_there", report.tagsMovedThere},
                          {"tags_taken_there", report.tagsTakenThere},
                          {"tags_in_doubt", report.tagsInDoubt},
                          {"tags_removed_here", report.tagsRemovedHere},
                          {"notes", report.notes},
                          {"notes_elsewhere", report.notesElsewhere},
                          {"modes_elsewhere", report.modesElsewhere},
                          {"objects", report.packCount + report.manifestCount},
                          {"bytes", report.byteCount},
                          {"skipped_bytes", report.skippedBytes},
                          {"plain", plainJson(report)},
                          {"problems", problemsJson(report)}});
  if (report.listMended) {
    output.line(printable(fmt::format("{} the list of versions on {} anew",
                                      dryRun ? "Would write" : "Wrote", remote)));
  }
  if (!report.mended.empty()) {
    output.line(printable(fmt::format("{} what {} had lost of {}", dryRun ? "Would mend" : "Mended",
                                      remote, fmt::join(report.mended, ", "))));
  }
  printFailures(output, report.failed);
  printRenumbering(output, report.failed, remote);
  printRenumbered(output, report, remote, dryRun);
  for (const PushReport::Turned& one : report.turned) {
    output.warning(printable(
        fmt::format("{} {} a difference to {} on {}: there, the higher number is the older version",
                    one.version, dryRun ? "would be" : "is", one.parent, remote)));
  }
  if (!report.olderList.empty()) output.warning(printable(remote + ": " + report.olderList));
  printLeftOut(output, report.leftOut);
  for (const std::string& tag : report.tagsElsewhere) {
    output.warning(printable(fmt::format(
        "tag {} points elsewhere on {} and stays so; --force-tag moves it", tag, remote)));
  }
  for (const std::string& tag : report.tagsOfOtherSnapshots) {
    output.note(
        printable(fmt::format("tag {} is another snapshot's on {} and stays so", tag, remote)));
  }
  for (const std::string& tag : report.tagsMovedThere) {
    output.note(printable(fmt::format("tag {} was moved on {}; a pull brings it", tag, remote)));
  }
  for (const std::string& tag : report.tagsTakenThere) {
    output.note(printable(fmt::format(
        "tag {} was taken off {} and stays off; --force-tag puts it back", tag, remote)));
  }
  for (const std::string& tag : report.tagsInDoubt) {
    output.warning(printable(fmt::format(
        "tag {} is not on {}, and whether it was taken off there is not known here any more; it "
        "stays off, --force-tag puts it there",
        tag, remote)));
  }
  for (const std::string& tag : report.tagsRemovedHere) {
    const std::string advice = isRemoteUrl(remote)
                                   ? std::string()
                                   : fmt::format("; \"strata tag remove {}\" takes it off there",
                                                 shellWord(remote + "/" + tag));
    output.note(printable(
        fmt::format("tag {} was removed here and is still on {}{}", tag, remote, advice)));
  }
  for (const PushReport::Tag& tag : report.tags) {
    const std::string from = tag.from.empty() ? std::string{} : ", before " + tag.from;
    output.line(printable(fmt::format("Tag {} {} {} on {}{}", tag.tag,
                                      dryRun ? "would be" : "is now", tag.to, remote, from)));
  }
  printNotes(output, report.notesElsewhere, remote);
  printModes(output, report.modesElsewhere, remote);
  for (const std::string& label : report.notesEditedThere) {
    output.note(
        printable(fmt::format("the note of {} was edited on {}; a pull brings it", label, remote)));
  }
  for (const std::string& label : report.notes) {
    output.line(
        printable(fmt::format("{} the note of {}", dryRun ? "Would push" : "Pushed", label)));
  }
  if (!report.refsAreAtomic && !dryRun) {
    output.warning(printable(remote + ": cannot keep two pushers apart; the last one wins"));
  }
  const std::string skipped =
      report.skippedBytes == 0
          ? std::string{}
          : fmt::format("  (already there: {})", wordBytes(report.skippedBytes));
  if (dryRun) {
    output.line(
        printable(fmt::format("Would send {} to {}{}", objectsText(report), remote, skipped)));
    output.note("Nothing was sent.");
  } else if (report.pushed.empty() && report.mended.empty() && report.failed.empty() &&
             report.notes.empty() && report.tags.empty() && !report.listMended) {
    output.line(
        printable(fmt::format("{} {} everything: {}", remote, report.objectsAsked ? "has" : "lists",
                              wordCount(report.alreadyThere.size(), "version"))));
    if (!report.objectsAsked) {
      output.note(printable(fmt::format(
          "Each object there costs a request: strata remote verify --quick {} looks for them",
          shellWord(remote))));
    }
  } else if (!report.pushed.empty() || !report.mended.empty()) {
    output.line(printable(fmt::format("Sent {} to {}{}", objectsText(report), remote, skipped)));
  }
  printPlain(output, report, dryRun);
  // What was there already is nothing that this push did.
  const bool isDone = !report.pushed.empty() || !report.mended.empty() || report.listMended ||
                      !report.notes.empty() || !report.tags.empty() || report.plain.has_value();
  const bool leavesTags = !report.tagsElsewhere.empty() || !report.tagsInDoubt.empty();
  return transferExit(report.failed, isDone, leavesTags && !dryRun);
}

}  // namespace strata::cli
