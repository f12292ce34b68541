#include "core/ops/care/detail/protection.h"

#include <set>
#include <utility>

namespace strata {

Result<void> checkProtection(const Store& store, const VerifyOptions& options, bool isUnfinished,
                             const std::stop_token& stop, VerifyReport& report) {
  if (!options.references.empty()) return {};
  const bool isQuick = options.level == VerifyOptions::Level::Quick;
  STRATA_TRY(ParityState state,
             checkParity(store.folder(), store.objects(),
                         isQuick ? ParityLook::Sizes : ParityLook::Checksums, stop));
  if (!state.ratio && state.groups.empty() && state.damages.empty()) return {};
  std::set<Digest> lost;
  for (const Damage& damage : report.damages) {
    if (damage.isObject()) lost.insert(damage.digest);
  }
  report.rebuildable = state.reachable(lost);
  for (const ParityDamage& one : state.damages) {
    // Who writes may not have come to it.
    if (isUnfinished && one.reason == "is missing") continue;
    report.damages.push_back({.kind = Damage::Kind::Parity,
                              .digest = one.group,
                              .path = one.path,
                              .byteCount = one.byteCount,
                              .reason = one.reason});
  }
  report.parity = std::move(state);
  return {};
}

}  // namespace strata
