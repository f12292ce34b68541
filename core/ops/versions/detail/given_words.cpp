#include "core/ops/versions/detail/given_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/store/catalog/lost_versions.h"

namespace strata {
namespace {

bool contains(const std::vector<std::string>& tags, const std::string& tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

/// Whether `text` was empty and is not any more.
bool fillIn(std::string& text, const std::string& known) {
  if (!text.empty() || known.empty()) return false;
  text = known;
  return true;
}

}  // namespace

void noteMended(const StoredContent& known, const std::vector<VersionRef>& refs,
                AddReport& report) {
  for (const VersionRef& ref : refs) {
    const bool isAwaited = known.awaited.contains(ref.label());
    (isAwaited ? report.completed : report.repaired).push_back(ref.label());
  }
}

AddReport::Outcome standingOutcome(const AddReport& report) noexcept {
  if (!report.repaired.empty()) return AddReport::Outcome::Repaired;
  return report.completed.empty() ? AddReport::Outcome::Unchanged : AddReport::Outcome::Completed;
}

Result<std::vector<MovedTag>> movedTags(const Catalog& catalog, const AddOptions& options,
                                        std::uint32_t number) {
  std::vector<MovedTag> moved;
  const std::set<std::string> tags(options.tags.begin(), options.tags.end());
  for (const std::string& tag : tags) {
    STRATA_TRY(const auto here, catalog.tag(options.name, tag));
    if (!here || here->number == number) continue;
    moved.push_back(
        {fmt::format("{}:{}", here->name, tag), fmt::format("{}:v{}", here->name, here->number)});
  }
  return moved;
}

Result<void> giveWords(const Store& store, StoreWriter* writer, const Catalog& catalog,
                       const AddOptions& options, AddReport& report) {
  VersionEntry& version = report.version;
  STRATA_TRY(report.movedTags, movedTags(catalog, options, version.number));
  std::vector<TagRef> tags;
  for (const std::string& tag : options.tags) {
    if (contains(version.tags, tag)) continue;
    tags.push_back({version.name, tag, version.number, {}, currentTime()});
    version.tags.push_back(tag);
    const std::string label = fmt::format("{}:{}", version.name, tag);
    const bool isMoved = std::any_of(report.movedTags.begin(), report.movedTags.end(),
                                     [&](const MovedTag& moved) { return moved.tag == label; });
    if (!isMoved) report.newTags.push_back(label);
  }
  std::sort(version.tags.begin(), version.tags.end());
  if (!options.note.empty() && options.note != version.note) {
    report.hasNewNote = true;
    report.formerNote = version.note;
    version.note = options.note;
  }
  report.hasNewSource = fillIn(version.sourceUrl, options.sourceUrl);
  const bool isLicensed = fillIn(version.license, options.license);
  if (writer == nullptr) return {};
  if (!report.hasNewNote && !report.hasNewSource && !isLicensed) return writer->putTags(tags);
  STRATA_TRY(KnownRef known, refOf(store, catalog, version));
  known.ref.note = version.note;
  known.ref.sourceUrl = version.sourceUrl;
  known.ref.license = version.license;
  return writer->annotate(report.hasNewNote ? "note" : "source", {known.ref}, tags);
}

}  // namespace strata
