#include "core/ops/care/detail/protection.h"

#include <set>
#include <utility>

namespace strata {
namespace {

/// A failure that does not keep anybody from checking the rest of the store.
bool isDamage(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::Io ||
         code == ErrorCode::InvalidArgument;
}

}  // namespace

Result<void> checkProtection(const Store& store, const VerifyOptions& options, bool isUnfinished,
                             const std::stop_token& stop, VerifyReport& report) {
  if (!options.references.empty()) return {};
  const bool isQuick = options.level == VerifyOptions::Level::Quick;
  auto checked = checkParity(store.folder(), store.objects(),
                             isQuick ? ParityLook::Sizes : ParityLook::Checksums, stop);
  if (!checked && isDamage(checked.error().code)) {
    report.damages.push_back({.kind = Damage::Kind::Parity,
                              .path = store.folder() / "parity",
                              .reason = checked.error().message});
    return {};
  }
  STRATA_TRY(ParityState state, std::move(checked));
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
