#include "core/ops/care/detail/damage_keys.h"

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
  for (auto* const trashed : {&report.damagedInTrash, &report.damagedUnlisted}) {
    std::erase_if(*trashed, [&](const std::string& label) { return !labels.contains(label); });
  }
  std::erase_if(report.toAdd, [&](const MendingModel& model) {
    return labels.empty() || (!model.label.empty() && !labels.contains(model.label));
  });
}

}  // namespace strata
