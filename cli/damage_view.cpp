#include "cli/damage_view.h"

#include <utility>

#include "core/text/wording.h"

namespace strata::cli {

std::optional<std::int64_t> damagedAt(const Damages& damages, const VersionEntry& version) {
  const auto found = damages.find(version.manifestDigest);
  return found == damages.end() ? std::nullopt : std::optional(found->second);
}

std::string damagedText(const Damages& damages, const VersionEntry& version) {
  const auto at = damagedAt(damages, version);
  return at ? "found " + wordDate(*at) : std::string();
}

Json withDamage(Json json, const Damages& damages, const VersionEntry& version) {
  const auto at = damagedAt(damages, version);
  json["damaged"] = at ? Json(isoDate(*at)) : Json(nullptr);
  return json;
}

}  // namespace strata::cli
