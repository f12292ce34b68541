#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "core/digest.h"
#include "core/ops/care/damage.h"
#include "core/store/version_entry.h"

namespace strata::cli {

/// When the last check of a manifest found its versions damaged: damagedManifests().
using Damages = std::map<Digest, std::int64_t>;

/// Seconds since 1970; nothing for a version that is not known to be damaged.
std::optional<std::int64_t> damagedAt(const Damages& damages, const VersionEntry& version);
/// "found 2026-03-09 14:02"; empty for others.
std::string damagedText(const Damages& damages, const VersionEntry& version);
/// The document of a version with the time in `damaged`, null for others.
Json withDamage(Json json, const Damages& damages, const VersionEntry& version);

/// What a check found: "pack e07f2211 (12.9 MB) does not match its hash".
std::string findingText(const Damage& damage);

/// Says what mends what the store keeps of its remotes. Whether there is other damage, too.
bool adviseOnRemotes(Output& output, const std::vector<Damage>& damages);
/// The rest, which no fetch mends.
std::vector<Damage> withoutRemotes(std::vector<Damage> damages);

/// The first of many labels: "base:v1, sst2:v2 and 3 more".
std::string listText(const std::vector<std::string>& words);

/// Whether a repair can mend it with what is in the store.
bool isOfRefs(const Damage& damage) noexcept;

}  // namespace strata::cli
