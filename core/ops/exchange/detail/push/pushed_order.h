#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/version_matching.h"

namespace strata {

/// Whether the numbers of a name stay in the order of its lineages where some of them are taken on
/// the remote.
class PushedOrder {
 public:
  /// A version that is there, or will be, under `number`.
  void place(const VersionEntry& version, std::uint32_t number);

  /// Whether the parent has a higher number there than the version would get, though it has a lower
  /// one here.
  bool isBelowParent(const PlannedPush& item) const;

  /// Those of `items`, and of what is there and gets one of them for a parent.
  std::vector<PushReport::Turned> turned(const std::vector<PlannedPush>& items,
                                         const RemoteLibrary& library,
                                         const VersionMatching& matching) const;

 private:
  struct Placed {
    std::string name;
    std::uint32_t here = 0;   ///< number
    std::uint32_t there = 0;  ///< number
  };
  /// nullptr if the order of `version` and its parent is the same on both sides.
  const Placed* parentAbove(const RemoteVersion& version, std::uint32_t numberHere) const;

  std::map<Digest, Placed> placed_;  ///< by content
};

/// After a push: gives versions here the numbers that they have there, in one change. A version
/// keeps its number where the new one was given here, or by another remote, to another content,
/// where another remote has it under its present one, and where a listed push names it by that.
/// `keptAs`: the remote's name or URL. What keeps all of them from that is told in `report.failed`:
/// the push is done.
void takeNumbers(Store& store, const std::string& keptAs, PushReport& report,
                 const std::stop_token& stop);

}  // namespace strata
