#include "core/ops/exchange/detail/push/push_sending.h"

#include <algorithm>
#include <utility>

#include "core/progress_meter.h"
#include "core/store/objects/awaited_packs.h"
#include "core/transfer/text_source.h"
#include "core/transfer/transfer_queue.h"

namespace strata {

Error ofRemote(Error error) {
  if (error.code == ErrorCode::NoSpace) error.code = ErrorCode::Network;
  return error;
}

Result<std::map<Digest, Error>> awaitedPacksOf(const Store& store, const PushPlan& plan) {
  std::map<Digest, Error> awaited;
  for (const PlannedPush& item : plan.items) {
    VersionRef ref = item.version.ref;
    ref.name = item.entry.name;
    ref.number = item.entry.number;  // another one there
    STRATA_TRY(const std::vector<Digest> absent, absentPacks(store, ref));
    for (const Digest& digest : absent) awaited.emplace(digest, awaitedPacksError(ref));
  }
  return awaited;
}

void leaveOut(PushPlan& plan, const std::map<Digest, Error>& failures) {
  std::map<Digest, Error> lost;  // by content
  std::erase_if(plan.items, [&](const PlannedPush& item) {
    const Error* cause = nullptr;
    for (const RemoteObject& object : item.version.objects()) {
      const auto found = failures.find(object.digest);
      if (found != failures.end()) cause = &found->second;
    }
    const auto parent =
        item.version.parentDigest ? lost.find(*item.version.parentDigest) : lost.end();
    if (cause == nullptr && parent != lost.end()) cause = &parent->second;
    if (cause == nullptr) return false;
    plan.failed.push_back({item.entry.label(), *cause});
    lost.emplace(item.entry.contentDigest, *cause);
    return true;
  });
}

Result<std::map<Digest, Error>> sendObjects(RemoteMending& mending,
                                            std::vector<RemoteObject>& objects,
                                            std::uint64_t byteCount, unsigned parallel,
                                            const std::stop_token& stop,
                                            const ProgressSink& progress) {
  // Large ones first, so that the last thread to end is not the one with most to do.
  std::sort(objects.begin(), objects.end(),
            [](const RemoteObject& a, const RemoteObject& b) { return a.byteCount > b.byteCount; });
  ProgressMeter meter(progress, "sending", byteCount);
  const auto results =
      runTransfers(objects.size(), parallel, stop, [&](std::size_t i) -> Result<void> {
        const std::string item = "object " + shortHex(objects[i].digest);
        // Bytes that have to move again count backwards; the sum is modulo 2^64.
        const auto tell = [&](std::int64_t bytes) {
          meter.add(static_cast<std::uint64_t>(bytes), item);
        };
        return mending.send(objects[i], stop, tell).map_error(ofRemote);
      });
  meter.finish({});
  std::map<Digest, Error> failures;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) mending.noteSent(objects[i].digest);
    if (results[i]) continue;
    if (results[i].error().code == ErrorCode::Cancelled) return fail(results[i].error());
    failures.emplace(objects[i].digest, results[i].error());
  }
  std::erase_if(objects, [&](const RemoteObject& one) { return failures.contains(one.digest); });
  return failures;
}

Result<void> sendSignatures(Transport& remote, const PushPlan& plan, unsigned parallel,
                            const std::stop_token& stop) {
  if (plan.items.empty() && plan.moves.empty() && plan.resigned.empty()) return {};
  const std::vector<std::pair<Digest, std::string>> packs(plan.signatures.begin(),
                                                          plan.signatures.end());
  const auto results = runTransfers(packs.size(), parallel, stop, [&](std::size_t i) {
    const auto& [digest, bytes] = packs[i];
    const RemoteObject object{digest, bytes.size(), RemoteObject::Kind::Signatures};
    const TextSource source(bytes);
    return plan.damagedSignatures.contains(digest) ? remote.replace(object, source, stop, {})
                                                   : remote.put(object, source, stop, {});
  });
  for (const Result<void>& result : results) STRATA_TRY(Result<void>(result).map_error(ofRemote));
  return {};
}

}  // namespace strata
