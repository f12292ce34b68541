#include "core/ops/detail/leaving_versions.h"

#include <algorithm>

namespace strata {

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept {
  return a.name == b.name && a.number == b.number;
}

bool LeavingVersions::contain(const VersionEntry& version) const noexcept {
  return std::any_of(leaving_.begin(), leaving_.end(),
                     [&](const VersionEntry& one) { return isSameVersion(one, version); });
}

Result<bool> LeavingVersions::leaveContent(const Digest& content,
                                           std::span<const Place> places) const {
  STRATA_TRY(const auto twins, catalog_.withContent(content));
  return std::any_of(twins.begin(), twins.end(), [&](const VersionEntry& twin) {
    const Place place = twin.place();
    return std::find(places.begin(), places.end(), place) != places.end() && !contain(twin);
  });
}

Result<std::vector<VersionEntry>> LeavingVersions::stayingDifferences(
    const VersionEntry& version, std::span<const Place> places) const {
  std::vector<VersionEntry> staying;
  for (const Place place : places) {
    STRATA_TRY(auto dependants, catalog_.dependants(version.contentDigest, place));
    std::erase_if(dependants, [&](const VersionEntry& one) { return contain(one); });
    std::move(dependants.begin(), dependants.end(), std::back_inserter(staying));
  }
  if (staying.empty()) return staying;
  STRATA_TRY(const bool stays, leaveContent(version.contentDigest, places));
  if (stays) staying.clear();
  return staying;
}

}  // namespace strata
