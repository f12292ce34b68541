#include "core/ops/care/repair_store.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/progress_meter.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/store_writer.h"
#include "core/transfer/part_file.h"

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

class Repair {
 public:
  Repair(Store& store, Transport& remote, const RepairOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  Result<RepairReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    const VerifyOptions verify{.level = VerifyOptions::Level::Full,
                               .references = options_.references};
    STRATA_TRY(report_.before, verifyStore(store_, verify, stop, progress));
    report_.after = report_.before;
    if (report_.before.sound()) return std::move(report_);
    STRATA_TRY(const RefListing listing, remote_.readRefs(stop));
    const RemoteLibrary library = RemoteLibrary::from(listing);
    // The packs of a version are known once its manifest is here.
    constexpr int kRounds = 2;
    bool isOver = false;
    for (int round = 0; round < kRounds && !isOver && !report_.after.sound(); ++round) {
      report_.failed.clear();
      const auto wanted = repairable(report_.after, library, report_.failed);
      if (wanted.empty()) break;
      STRATA_TRY(const bool isAnyManifest, fetch(wanted, stop, progress));
      isOver = !isAnyManifest;
      if (isAnyManifest) STRATA_TRY(listAgain(stop));
      STRATA_TRY(report_.after, verifyStore(store_, verify, stop, progress));
    }
    const std::vector<std::string> parentless = withoutLineage(library);
    if (parentless.empty()) return std::move(report_);
    STRATA_TRY(pullLineages(parentless, stop, progress));
    STRATA_TRY(report_.after, verifyStore(store_, verify, stop, progress));
    return std::move(report_);
  }

 private:
  /// Versions whose lineage lacks a parent or runs in a circle, as the remote calls their content.
  std::vector<std::string> withoutLineage(const RemoteLibrary& library) const {
    std::set<std::string> labels;
    for (const Damage& damage : report_.after.damages) {
      if (damage.kind != Damage::Kind::Parent) continue;
      for (const std::string& label : damage.versions) {
        const auto here = store_.resolve(label);
        if (!here) continue;
        const RemoteVersion* there = library.find(here->name, here->number);
        const bool isSame = there != nullptr && there->ref.contentDigest == here->contentDigest;
        if (!isSame) there = library.withContent(here->contentDigest);
        if (there != nullptr) labels.insert(there->ref.label());
      }
    }
    return {labels.begin(), labels.end()};
  }

  /// No object alone mends these: they take the remote's coding, with all parents that need it.
  Result<void> pullLineages(const std::vector<std::string>& labels, const std::stop_token& stop,
                            const ProgressSink& progress) {
    auto pulled = pullVersions(
        store_, remote_, {.references = labels, .parallel = options_.parallel}, stop, progress);
    if (!pulled && pulled.error().code == ErrorCode::Cancelled) return fail(pulled.error());
    if (!pulled) {
      report_.failed.push_back({labels.front(), std::move(pulled).error()});
      return {};
    }
    report_.objectCount += pulled->objectCount;
    report_.byteCount += pulled->byteCount;
    std::move(pulled->failed.begin(), pulled->failed.end(), std::back_inserter(report_.failed));
    return {};
  }

  /// Whether a manifest is among what came.
  Result<bool> fetch(const std::vector<RemoteObject>& wanted, const std::stop_token& stop,
                     const ProgressSink& progress) {
    std::uint64_t wantedBytes = 0;
    for (const RemoteObject& object : wanted) wantedBytes += object.byteCount;
    ProgressMeter meter(progress, "fetching", wantedBytes);
    const auto meterOf = [&](std::size_t i) -> TransferMeter {
      return [&meter, item = shortHex(wanted[i].digest)](std::int64_t bytes) {
        meter.add(static_cast<std::uint64_t>(bytes), item);
      };
    };
    const auto results = fetchObjects(remote_, partsFolder(store_), store_.objects(), wanted,
                                      options_.parallel, stop, meterOf);
    meter.finish({});
    bool isAnyManifest = false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (results[i]) {
        ++report_.objectCount;
        report_.byteCount += wanted[i].byteCount;
        isAnyManifest = isAnyManifest || wanted[i].kind == RemoteObject::Kind::ManifestObject;
      } else if (results[i].error().code == ErrorCode::Cancelled) {
        return fail(results[i].error());
      } else {
        report_.failed.push_back({"object " + shortHex(wanted[i].digest), results[i].error()});
      }
    }
    return isAnyManifest;
  }

  Result<void> listAgain(const std::stop_token& stop) {
    STRATA_TRY(const auto writer, store_.lockForRepair("verify", stop));
    STRATA_TRY(writer->rescueRefs());
    return {};
  }

  Store& store_;
  Transport& remote_;
  const RepairOptions& options_;
  RepairReport report_;
};

}  // namespace

Result<RepairReport> repairStore(Store& store, Transport& remote, const RepairOptions& options,
                                 std::stop_token stop, const ProgressSink& progress) {
  return Repair(store, remote, options).run(stop, progress);
}

}  // namespace strata
