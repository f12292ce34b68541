#include <algorithm>
#include <utility>

#include "core/progress_meter.h"
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

/// Tells how many bytes of objects are protected, as the parity that was written says.
class GroupProgress {
 public:
  GroupProgress(const Store& store, const ProgressSink& sink)
      : ratio_(parityOfStore(store.folder()).value_or(ParitySetting{}).ratio),
        totalBytes_(sink ? bytesOf(store) : 0),
        meter_(sink, "protecting", totalBytes_) {}

  void follow(const ParityGrouping& grouping) { grouping_ = &grouping; }
  void report() {
    if (grouping_ == nullptr || !ratio_ || totalBytes_ == 0) return;
    // Files of parity have some bytes beside it.
    const std::uint64_t parity = grouping_->writtenBytes() / ratio_->shards;
    const std::uint64_t done = std::min(totalBytes_, parity * ratio_->columns);
    meter_.add(done - std::exchange(doneBytes_, done), "parity");
  }

 private:
  static std::uint64_t bytesOf(const Store& store) {
    std::uint64_t bytes = 0;
    const auto objects = store.objects().list();
    if (!objects) return 0;
    for (const StoredObject& object : *objects) bytes += object.byteCount;
    return bytes;
  }

  std::optional<ParityRatio> ratio_;
  std::uint64_t totalBytes_;
  std::uint64_t doneBytes_ = 0;
  ProgressMeter meter_;
  const ParityGrouping* grouping_ = nullptr;
};

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
                                            const std::stop_token& stop,
                                            const ProgressSink& progress) {
  GroupProgress meter(store_, progress);
  const auto mayGoOn = [&, ask = asker(lock_, stop)]() -> Result<void> {
    meter.report();
    return ask();
  };
  ParityGrouping grouping(store_.folder(), store_.objects(), mayGoOn);
  meter.follow(grouping);
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
