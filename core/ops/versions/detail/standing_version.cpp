#include "core/ops/versions/detail/standing_version.h"

#include <fmt/format.h>

#include <utility>

namespace strata {

Result<StandingVersion> StandingSearch::find() const {
  StandingVersion found;
  if (options_.isNewBase && known_.serves(true)) {
    STRATA_TRY(found.version, base());
    return found;
  }
  if (options_.anyStands) {
    STRATA_TRY(found.version, anyOfName());
    if (found.version) return found;
  }
  STRATA_TRY(auto newest, catalog_.newest(options_.name));
  const bool hasContent = newest && newest->contentDigest == content_;
  STRATA_TRY(const bool isNewest, standsForModel(newest));
  if (isNewest) {
    found.version = std::move(newest);
    return found;
  }
  STRATA_TRY(found.version, mended());
  found.hasOtherModes = !found.version && hasContent;
  return found;
}

Result<void> StandingSearch::checkNameIsFree() const {
  if (!options_.isNewBase) return {};
  STRATA_TRY(const auto newest, catalog_.newest(options_.name));
  if (!newest) return {};
  for (const auto* refs : {&known_.damaged, &known_.lost}) {
    for (const VersionRef& ref : *refs) {
      if (ref.name == options_.name && ref.place() == Place::Live) return {};
    }
  }
  STRATA_TRY(const auto standing, base());
  if (standing) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("is in use: there is {}; add makes its next version, and a new base "
                          "needs another name",
                          newest->label()));
}

/// The version of the name that has the model in full.
StandingSearch::Found StandingSearch::base() const {
  STRATA_TRY(const auto stored, catalog_.withContent(content_));
  for (const VersionEntry& one : stored) {
    if (one.name != options_.name || one.place() != Place::Live || !one.isBase()) continue;
    STRATA_TRY(const bool stands, standsForModel(one));
    if (stands) return one;
  }
  return std::nullopt;
}

StandingSearch::Found StandingSearch::anyOfName() const {
  STRATA_TRY(auto stored, catalog_.withContent(content_));
  for (VersionEntry& one : stored) {
    if (one.name == options_.name && one.place() == Place::Live) return std::move(one);
  }
  return std::nullopt;
}

/// One of the name that was damaged or lost.
StandingSearch::Found StandingSearch::mended() const {
  for (const auto* refs : {&known_.damaged, &known_.lost}) {
    for (const VersionRef& ref : *refs) {
      if (ref.name != options_.name || ref.place() != Place::Live) continue;
      STRATA_TRY(auto repaired, catalog_.version(ref.name, ref.number, Place::Live));
      STRATA_TRY(const bool stands, standsForModel(repaired));
      if (stands) return repaired;
    }
  }
  return std::nullopt;
}

/// Whether it has the model's content and permission bits.
Result<bool> StandingSearch::standsForModel(const std::optional<VersionEntry>& version) const {
  if (!version || version->contentDigest != content_) return false;
  return survey_.hasModes(*version, modes_);
}

}  // namespace strata
