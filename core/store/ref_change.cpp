#include "core/store/ref_change.h"

#include <optional>
#include <utility>

namespace strata {
namespace {

Place otherPlace(const VersionRef& ref) noexcept {
  return ref.place() == Place::Live ? Place::Trash : Place::Live;
}

/// A tag that was moved on by then is another version's.
Result<void> eraseTags(const RefFolder& refs, const VersionRef& ref) {
  for (const TagRef& tag : ref.tags) {
    const auto kept = refs.readTag(tag.name, tag.tag);
    if (kept && kept->number == ref.number) STRATA_TRY(refs.eraseTag(tag.name, tag.tag));
  }
  return {};
}

}  // namespace

std::string labelsOf(const std::vector<VersionRef>& refs) {
  std::string labels;
  for (const VersionRef& ref : refs) labels += (labels.empty() ? "" : ", ") + ref.label();
  return labels;
}

Result<std::vector<PreparedRef>> prepareRefs(const RefFolder& refs, const RefChange& change) {
  std::vector<PreparedRef> prepared;
  for (const TagRef& tag : change.tags) {
    STRATA_TRY(PreparedRef file, refs.prepareTag(tag));
    prepared.push_back(std::move(file));
  }
  for (const VersionRef& ref : change.versions) {
    STRATA_TRY(PreparedRef file, refs.prepareVersion(ref));
    prepared.push_back(std::move(file));
  }
  return prepared;
}

Result<void> placeRefs(const RefFolder& refs, const RefChange& change,
                       std::vector<PreparedRef>& prepared) {
  for (PreparedRef& file : prepared) STRATA_TRY(file.place());
  // Each version has a ref at each instant, and its tags at one place at least.
  for (const VersionRef& ref : change.versions) {
    STRATA_TRY(refs.eraseVersion(ref.name, ref.number, otherPlace(ref)));
  }
  for (const VersionRef& ref : change.versions) {
    if (ref.place() == Place::Trash) STRATA_TRY(eraseTags(refs, ref));
  }
  return refs.eraseChange();
}

Result<void> settleChange(const RefFolder& refs) {
  const Result<std::optional<RefChange>> change = refs.readChange();
  if (!change && change.error().code == ErrorCode::CorruptData) return refs.eraseChange();
  if (!change) return fail(change.error());
  if (!*change) return {};
  STRATA_TRY(std::vector<PreparedRef> prepared, prepareRefs(refs, **change));
  return placeRefs(refs, **change, prepared);
}

}  // namespace strata
