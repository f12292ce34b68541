#include "cli/views/damage_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "core/text/command_words.h"
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

std::string findingText(const Damage& damage) {
  std::string text(name(damage.kind));
  const bool hasDigest = damage.kind == Damage::Kind::Pack ||
                         damage.kind == Damage::Kind::ManifestObject ||
                         damage.kind == Damage::Kind::Parent;
  if (hasDigest) text += " " + shortHex(damage.digest);
  if (!hasDigest && !damage.path.empty()) text += " " + damage.path.string();
  if (damage.byteCount > 0) text += fmt::format(" ({})", wordBytes(damage.byteCount));
  // Errors of files name them, too.
  std::string_view reason = damage.reason;
  const std::string file = damage.path.string() + ": ";
  if (reason.starts_with(file)) reason.remove_prefix(file.size());
  return fmt::format("{} {}", text, reason);
}

bool adviseOnRemotes(Output& output, const std::vector<Damage>& damages) {
  std::set<std::string> remotes;
  bool hasOther = false;
  for (const Damage& damage : damages) {
    if (!damage.remote.empty()) remotes.insert(damage.remote);
    hasOther = hasOther || damage.remote.empty();
  }
  for (const std::string& remote : remotes) {
    output.advice(fmt::format("Fix: strata fetch {}", shellWord(remote)));
  }
  return hasOther;
}

std::vector<Damage> withoutRemotes(std::vector<Damage> damages) {
  std::erase_if(damages, [](const Damage& one) { return !one.remote.empty(); });
  return damages;
}

std::string listText(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 8;
  const std::size_t count = std::min(words.size(), kMost);
  std::string text =
      fmt::format("{}", fmt::join(words.begin(), words.begin() + std::ptrdiff_t(count), ", "));
  if (count < words.size()) text += fmt::format(" and {} more", words.size() - count);
  return text;
}

bool isOfRefs(const Damage& damage) noexcept {
  return damage.kind == Damage::Kind::Catalog || damage.kind == Damage::Kind::Ref ||
         damage.kind == Damage::Kind::Remote ||
         (damage.kind == Damage::Kind::Parent && !damage.path.empty());
}

}  // namespace strata::cli
