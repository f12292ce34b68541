#include "core/ops/exchange/detail/pushed_order.h"

#include <fmt/format.h>

#include <set>

namespace strata {

void PushedOrder::place(const VersionEntry& version, std::uint32_t number) {
  placed_.try_emplace(version.contentDigest, Placed{version.name, version.number, number});
}

const PushedOrder::Placed* PushedOrder::parentAbove(const RemoteVersion& version,
                                                    std::uint32_t numberHere) const {
  if (!version.parentDigest || version.ref.isUnlisted) return nullptr;
  const auto parent = placed_.find(*version.parentDigest);
  if (parent == placed_.end() || parent->second.name != version.ref.name) return nullptr;
  const Placed& one = parent->second;
  return one.here < numberHere && one.there > version.ref.number ? &one : nullptr;
}

bool PushedOrder::isBelowParent(const PlannedPush& item) const {
  return parentAbove(item.version, item.entry.number) != nullptr;
}

std::vector<PushReport::Turned> PushedOrder::turned(const std::vector<PlannedPush>& items,
                                                    const RemoteLibrary& library,
                                                    const VersionMatching& matching) const {
  std::vector<PushReport::Turned> turned;
  const auto note = [&](const RemoteVersion& version, std::uint32_t numberHere) {
    const Placed* const parent = parentAbove(version, numberHere);
    if (parent == nullptr) return;
    turned.push_back({version.ref.label(), fmt::format("{}:v{}", parent->name, parent->there)});
  };
  std::set<Digest> going;
  for (const PlannedPush& item : items) {
    note(item.version, item.entry.number);
    if (!item.version.ref.isUnlisted) going.insert(item.entry.contentDigest);
  }
  for (const RemoteVersion& version : library.versions) {
    const bool getsParent = version.parentDigest && going.contains(*version.parentDigest);
    const VersionEntry* const here = getsParent ? matching.here(version) : nullptr;
    if (here != nullptr) note(version, here->number);
  }
  return turned;
}

}  // namespace strata
