#include "cli/views/removal_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/views/version_view.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

/// "base:v1, sst2:v1 and 4 more"
std::string someLabels(const std::vector<VersionEntry>& versions) {
  constexpr std::size_t kNamed = 4;
  const std::size_t named = std::min(kNamed, versions.size());
  const std::vector<VersionEntry> first(versions.begin(),
                                        versions.begin() + static_cast<std::ptrdiff_t>(named));
  const std::string text = labelsText(first, ", ");
  const std::size_t rest = versions.size() - named;
  return rest == 0 ? text : fmt::format("{} and {} more", text, rest);
}

}  // namespace

std::string labelsText(const std::vector<VersionEntry>& versions, std::string_view between) {
  std::vector<std::string> labels;
  for (const VersionEntry& version : versions) labels.push_back(version.label());
  return fmt::format("{}", fmt::join(labels, between));
}

Json removalJson(const RemoveReport& report, const RemovalMode& mode) {
  return {{"removed", labelsOf(report.versions)},
          {"to_trash", !mode.now},
          {"dry_run", mode.dryRun},
          {"freed_bytes", report.freedBytes},
          {"freeable_bytes", report.freeableBytes},
          {"needed", labelsOf(report.needed)},
          {"needed_bytes", report.neededBytes}};
}

void printRemovalBytes(Output& output, const RemoveReport& report, const RemovalMode& mode) {
  if (report.versions.empty()) return;
  const std::string_view stay = mode.dryRun ? "would stay" : "stay";
  if (report.differenceBytes() > 0) {
    output.line(fmt::format("{} {}: other versions are differences to {}",
                            wordBytes(report.differenceBytes()), stay, someLabels(report.needed)));
  }
  if (report.sharedBytes > 0) {
    output.line(
        fmt::format("{} {}: other versions need them", wordBytes(report.sharedBytes), stay));
  }
  if (mode.now && !mode.dryRun) return output.line(wordBytes(report.freedBytes) + " freed");
  if (mode.now) return output.line(wordBytes(report.freeableBytes) + " would be freed");
  const std::string share =
      report.trashBytes == report.freeableBytes
          ? ""
          : fmt::format(", {} of it by this", wordBytes(report.freeableBytes));
  output.line(fmt::format("Emptying the trash {} {}{}", mode.dryRun ? "would free" : "frees",
                          wordBytes(report.trashBytes), share));
}

void printRemoval(Output& output, const RemoveReport& report, const RemovalMode& mode) {
  output.document(removalJson(report, mode));
  for (const VersionEntry& version : report.versions) {
    output.essential(version.label());
    const std::string tags = version.tags.empty() ? "" : "  (" + tagsText(version) + ")";
    output.line(fmt::format("{} {}{}  {}", mode.dryRun ? "Would remove" : "Removed",
                            version.label(), tags, wordBytes(version.storedBytes)));
  }
  printRemovalBytes(output, report, mode);
  if (mode.dryRun) {
    output.line("Nothing was removed.");
  } else if (!mode.now && !report.versions.empty()) {
    output.advice("In the trash; back with: strata trash restore " +
                  labelsText(report.versions, " "));
  }
}

}  // namespace strata::cli
