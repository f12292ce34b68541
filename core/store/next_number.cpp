#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/store/asked_remotes.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"

// Which number the next version of a name gets.

namespace strata {
namespace {

/// Those of snapshots, of which each version of a run has one. Other tags are few, and move.
Result<TagNumbers> snapshotTags(const Catalog& catalog, std::string_view name) {
  STRATA_TRY(const std::vector<TagRef> tags, catalog.tags(name));
  TagNumbers numbers;
  for (const TagRef& tag : tags) {
    if (isSnapshotTag(tag.tag)) numbers.emplace(tag.tag, tag.number);
  }
  return numbers;
}

/// As highestNumber(). Where refs and catalog have the same versions of the name, the catalog says
/// what the tags of snapshots lead to; one that is older or damaged does not.
Result<std::uint32_t> highestHere(const RefFolder& refs, const Catalog& catalog,
                                  std::string_view name) {
  std::uint32_t highest = refs.readLastNumber(name).value_or(LastNumber{}).number;
  bool isSame = true;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto here, refs.versionNumbers(name, place));
    STRATA_TRY(const auto listed, catalog.numbersOf(name, place));
    isSame = isSame && here == listed;
    if (!here.empty()) highest = std::max(highest, here.back());
  }
  TagNumbers known;
  if (isSame) {
    STRATA_TRY(known, snapshotTags(catalog, name));
  }
  return std::max(highest, highestTagged(refs, name, known));
}

}  // namespace

Result<std::uint32_t> nextNumberOf(const Store& store, const Catalog& catalog,
                                   std::string_view name, const Digest& content) {
  STRATA_TRY(std::uint32_t last, catalog.lastNumber(name));
  // The files count, not the catalog alone: it does not list what it could not read.
  STRATA_TRY(const std::uint32_t highest, highestHere(store.refs(), catalog, name));
  last = std::max(last, highest);
  if (last == UINT32_MAX) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{}: has v{}, so no number is left; take another name", name, last));
  }
  STRATA_TRY(const AskedRemotes asked, AskedRemotes::load(store.folder()));
  const std::uint64_t next = asked.nextFor(name, std::uint64_t{last} + 1, content);
  if (next > UINT32_MAX) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{}: a remote lists v{} of it, so no number is left; take another name",
                            name, next - 1));
  }
  return static_cast<std::uint32_t>(next);
}

}  // namespace strata
