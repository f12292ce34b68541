#include "core/ops/repair_store.h"

#include <fmt/format.h>

#include <map>

#include "core/ops/detail/pull_plan.h"
#include "core/progress_meter.h"
#include "core/transfer/part_file.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

/// Whatever a remote lists, by digest.
std::map<Digest, RemoteObject> objectsOf(const RemoteLibrary& library) {
  std::map<Digest, RemoteObject> objects;
  for (const RemoteVersion* const version : library.all()) {
    for (const RemoteObject& object : version->objects()) objects.emplace(object.digest, object);
  }
  return objects;
}

/// The damaged objects that the remote has; the others are reported.
std::vector<RemoteObject> repairable(const VerifyReport& report, const RemoteLibrary& library,
                                     std::vector<FailedTransfer>& failed) {
  const std::map<Digest, RemoteObject> there = objectsOf(library);
  std::vector<RemoteObject> wanted;
  for (const Damage& damage : report.damages) {
    if (damage.kind != Damage::Kind::Pack && damage.kind != Damage::Kind::ManifestObject) continue;
    const auto found = there.find(damage.digest);
    if (found != there.end()) {
      wanted.push_back(found->second);
      continue;
    }
    failed.push_back({"object " + shortHex(damage.digest),
                      {ErrorCode::NotFound, fmt::format("object {}: the remote does not have it",
                                                        shortHex(damage.digest))}});
  }
  return wanted;
}

}  // namespace

Result<RepairReport> repairStore(const Store& store, Transport& remote,
                                 const RepairOptions& options, std::stop_token stop,
                                 const ProgressSink& progress) {
  const VerifyOptions verify{.level = VerifyOptions::Level::Full, .references = options.references};
  RepairReport report;
  STRATA_TRY(report.before, verifyStore(store, verify, stop, progress));
  report.after = report.before;
  if (report.before.sound()) return report;
  STRATA_TRY(const RefListing listing, remote.readRefs(stop));
  const std::vector<RemoteObject> wanted =
      repairable(report.before, RemoteLibrary::from(listing), report.failed);
  if (wanted.empty()) return report;
  std::uint64_t wantedBytes = 0;
  for (const RemoteObject& object : wanted) wantedBytes += object.byteCount;
  ProgressMeter meter(progress, "fetching", wantedBytes);
  const auto results = runTransfers(wanted.size(), options.parallel, stop, [&](std::size_t i) {
    return fetchObject(remote, partsFolder(store), store.objects(), wanted[i], stop,
                       [&](std::int64_t bytes) {
                         meter.add(static_cast<std::uint64_t>(bytes), shortHex(wanted[i].digest));
                       });
  });
  meter.finish({});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (results[i]) {
      ++report.objectCount;
      report.byteCount += wanted[i].byteCount;
    } else if (results[i].error().code == ErrorCode::Cancelled) {
      return fail(results[i].error());
    } else {
      report.failed.push_back({"object " + shortHex(wanted[i].digest), results[i].error()});
    }
  }
  STRATA_TRY(report.after, verifyStore(store, verify, stop, progress));
  return report;
}

}  // namespace strata
