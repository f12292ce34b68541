#include "core/ops/detail/damage_keys.h"

namespace strata {
namespace {

DamageKey keyOf(const Damage& damage) { return {damage.kind, damage.path, damage.reason}; }

}  // namespace

std::set<DamageKey> keysOf(const std::vector<Damage>& damages) {
  std::set<DamageKey> keys;
  for (const Damage& damage : damages) keys.insert(keyOf(damage));
  return keys;
}

void keepOnly(const std::set<DamageKey>& keys, VerifyReport& report) {
  std::erase_if(report.damages,
                [&](const Damage& damage) { return !keys.contains(keyOf(damage)); });
  std::set<std::string> labels;
  for (const Damage& damage : report.damages) {
    labels.insert(damage.versions.begin(), damage.versions.end());
  }
  report.damagedVersions.assign(labels.begin(), labels.end());
}

std::string_view name(Damage::Kind kind) noexcept {
  switch (kind) {
    case Damage::Kind::Pack:
      return "pack";
    case Damage::Kind::ManifestObject:
      return "manifest";
    case Damage::Kind::Ref:
      return "ref";
    case Damage::Kind::Catalog:
      return "catalog";
    case Damage::Kind::Version:
      return "version";
    case Damage::Kind::Parent:
      return "parent";
    case Damage::Kind::Place:
      return "place";
  }
  return "object";
}

}  // namespace strata
