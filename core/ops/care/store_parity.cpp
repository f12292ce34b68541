#include "core/ops/care/store_parity.h"

#include <set>

#include "core/config/config.h"
#include "core/ops/care/verify_store.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// What a repair may change: damaged objects and damaged parity.
std::set<Digest> lostObjects(const VerifyReport& report) {
  std::set<Digest> lost;
  for (const Damage& damage : report.damages) {
    if (damage.isObject()) lost.insert(damage.digest);
  }
  return lost;
}

bool hasDamagedParity(const VerifyReport& report) {
  return report.parity && !report.parity->damages.empty();
}

}  // namespace

Result<ParityState> setParity(Store& store, std::string_view value, std::stop_token stop,
                              const ProgressSink& progress) {
  STRATA_TRY(const Setting* const setting, findSetting("parity"));
  const auto file = store.folder() / "config.toml";
  {
    STRATA_TRY(const auto writer, store.lock("config", stop));
    STRATA_TRY(setInFile(file, *setting, value));
    // Which of the lost objects versions need is not asked here.
    STRATA_TRY(writer->computeParityAnew([](const Digest&) { return true; }, stop, progress));
  }
  return checkParity(store.folder(), store.objects(), ParityLook::Names, stop);
}

Result<bool> unsetParity(Store& store, std::stop_token stop) {
  STRATA_TRY(const Setting* const setting, findSetting("parity"));
  STRATA_TRY(const ParityListing listing,
             ParityFolder(store.folder()).list(ParityFolder::Scope::All));
  if (!listing.groups.empty() || !listing.unreadable.empty()) {
    STRATA_TRY(const ParityState state, setParity(store, "off", stop, {}));
    if (!state.groups.empty()) return true;
  }
  return unsetInFile(store.folder() / "config.toml", *setting);
}

Result<ParityRepairReport> repairByParity(Store& store, std::stop_token stop,
                                          const ProgressSink& progress) {
  ParityRepairReport report;
  if (!ParityFolder(store.folder()).exists()) return report;
  // A version whose manifest was lost shows its packs once that is here.
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const VerifyOptions verify{.level = VerifyOptions::Level::Full};
    STRATA_TRY(const VerifyReport found, verifyStore(store, verify, stop, progress));
    const std::set<Digest> lost = lostObjects(found);
    if (lost.empty() && !hasDamagedParity(found)) break;
    STRATA_TRY(const auto writer, store.lockForRepair("verify", stop));
    STRATA_TRY(const ParityRebuilt rebuilt, writer->rebuildLost(lost));
    report.objectCount += rebuilt.objects.size();
    report.byteCount += rebuilt.byteCount;
    report.shardCount += rebuilt.shards;
    if (rebuilt.objects.empty()) break;
    STRATA_TRY(writer->rescueRefs());
  }
  return report;
}

}  // namespace strata
