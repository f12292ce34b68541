#include "core/store/parity/parity_folder.h"
#include "core/store/parity/parity_grouping.h"
#include "core/store/store_writer.h"

// Parity, which protects objects against the loss of some of them.

namespace strata {
namespace {

/// Asked before each step: who was told to stop, or lost the lock, ends.
std::function<Result<void>()> asker(const StoreLock& lock, const std::stop_token& stop) {
  return [&lock, stop]() -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    return lock.check();
  };
}

}  // namespace

Result<void> StoreWriter::removeObjects(const std::vector<Digest>& objects,
                                        const std::stop_token& stop, std::set<Digest>& removed) {
  ParityGrouping grouping(store_.folder(), store_.objects(), asker(lock_, stop));
  STRATA_TRY(const std::vector<Digest> free, grouping.release(objects));
  for (const Digest& digest : free) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(lock_.check());
    STRATA_TRY(store_.objects().remove(digest));
    removed.insert(digest);
  }
  return {};
}

Result<void> StoreWriter::computeParityAnew(const std::function<bool(const Digest&)>& isNeeded,
                                            const std::stop_token& stop) {
  ParityGrouping grouping(store_.folder(), store_.objects(), asker(lock_, stop));
  Result<void> done = grouping.computeAnew(isNeeded);
  if (!done) {
    noteBehind(done.error());
    return done;
  }
  written_.clear();
  isParityOpen_ = false;
  return {};
}

Result<ParityRebuilt> StoreWriter::rebuildLost(const std::set<Digest>& lost) {
  isParityOpen_ = true;
  return rebuildByParity(store_.folder(), store_.objects(), lost, asker(lock_, {}));
}

void StoreWriter::noteBehind(const Error& error) {
  isParityLeft_ = true;
  if (lock_.check()) ParityFolder(store_.folder()).setBehind(error.message);
}

void StoreWriter::keepParity() {
  if (isParityLeft_) return;
  const ParityFolder folder(store_.folder());
  ParityGrouping grouping(store_.folder(), store_.objects(), asker(lock_, {}));
  const bool looksAtAll = isParityOpen_ || folder.behind();
  const Result<void> done = looksAtAll ? grouping.settle() : grouping.protect(written_);
  const bool isOn =
      folder.exists() || parityOfStore(store_.folder()).value_or(ParitySetting{}).ratio;
  if (!done && isOn) noteBehind(done.error());
}

}  // namespace strata
