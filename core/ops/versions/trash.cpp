#include "core/ops/versions/trash.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/ops/detail/leaving_versions.h"
#include "core/ops/detail/mending_snapshots.h"
#include "core/ops/detail/version_removal.h"
#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/store_writer.h"
#include "core/text/wording.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

/// What is in the trash by its refs and is listed there. One whose manifest is damaged can be
/// deleted all the same; so can an unlisted one, where it is named: else it holds up the others.
Result<std::vector<VersionEntry>> trashed(const TrueCatalog& truth,
                                          const std::vector<std::string>& references) {
  STRATA_TRY(std::vector<VersionEntry> versions, truth.catalog->versions(Place::Trash));
  std::erase_if(versions, [](const VersionEntry& version) { return version.isUnlisted; });
  for (const UnreadableVersion& one : truth.unreadable) {
    if (one.place != Place::Trash || !one.ref) continue;
    const bool isNamed =
        std::find(references.begin(), references.end(), one.label()) != references.end();
    if (!one.ref->isUnlisted || isNamed) versions.push_back(entryOf(*one.ref));
  }
  return versions;
}

/// The trashed versions that the references name, parents first. What they are differences to has
/// to be in the store, wherever.
Result<std::vector<VersionEntry>> returning(const StoreWriter& writer,
                                            const std::vector<std::string>& references) {
  std::vector<VersionEntry> versions;
  for (const std::string& reference : references) {
    auto found = writer.resolve(reference, Place::Trash);
    if (!found && writer.resolve(reference, Place::Live)) {
      return fail(found.error().code, reference + ": is listed, and not in the trash");
    }
    STRATA_TRY(VersionEntry version, std::move(found));
    if (isAmong(versions, version)) continue;
    if (version.parentDigest) {
      STRATA_TRY(const auto parents, writer.catalog().withContent(*version.parentDigest));
      if (parents.empty()) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{}: is a difference to the model {}, which is not in this store",
                                version.label(), toHex(*version.parentDigest)));
      }
    }
    versions.push_back(std::move(version));
  }
  std::stable_sort(versions.begin(), versions.end(),
                   [](const auto& a, const auto& b) { return a.depth < b.depth; });
  return versions;
}

/// A NAME:vN for each version of the trash that a pattern means.
Result<std::vector<std::string>> plainReferences(const Catalog& catalog,
                                                 const std::vector<std::string>& references) {
  std::vector<std::string> plain;
  for (const std::string& word : references) {
    if (!isGlob(word)) {
      plain.push_back(word);
      continue;
    }
    STRATA_TRY(auto all, catalog.versions(Place::Trash));
    std::erase_if(all, [](const VersionEntry& version) { return version.isUnlisted; });
    const auto matching = matchingVersions(all, word);
    if (!matching) return fail(matching.error().code, word + ": matches no version in the trash");
    for (const VersionEntry& version : *matching) plain.push_back(version.label());
  }
  return plain;
}

/// The operation that took each version to the trash last, by name and number. Several versions may
/// go within one second.
using Removals = std::map<std::pair<std::string, std::uint32_t>, std::int64_t>;

Result<Removals> lastRemovals(const Catalog& catalog) {
  STRATA_TRY(const std::vector<Operation> operations, catalog.operations(0));
  Removals removals;
  for (const Operation& operation : operations) {  // the latest first
    for (const VersionStep& step : operation.versions) {
      if (step.after.where != VersionState::Where::Trash) continue;
      if (step.before.where == VersionState::Where::Trash) continue;
      removals.emplace(std::pair(step.name, step.number), operation.id);
    }
  }
  return removals;
}

/// What one reference means of `all`, the versions in the trash that have a name.
Result<std::vector<VersionEntry>> meantBy(const TrueCatalog& truth,
                                          const std::vector<VersionEntry>& all,
                                          const std::string& word) {
  std::vector<VersionEntry> meant;
  std::copy_if(all.begin(), all.end(), std::back_inserter(meant),
               [&](const VersionEntry& one) { return one.label() == word; });
  if (!meant.empty()) return meant;
  if (isGlob(word)) {
    auto matching = matchingVersions(all, word);
    if (!matching) return fail(matching.error().code, word + ": matches no version in the trash");
    return matching;
  }
  STRATA_TRY(VersionEntry version, resolveIn(*truth.catalog, word, Place::Trash));
  meant.push_back(std::move(version));
  return meant;
}

/// Those of the trash that the options mean. A version that was named and is too young is not left
/// out unsaid.
Result<std::vector<VersionEntry>> chosen(const TrueCatalog& truth, std::vector<VersionEntry> all,
                                         const EmptyTrashOptions& options) {
  const auto isYoung = [&](const VersionEntry& version) {
    return options.removedBeforeSeconds && version.removedAt >= *options.removedBeforeSeconds;
  };
  if (options.references.empty()) {
    std::erase_if(all, isYoung);
    return all;
  }
  std::vector<VersionEntry> versions;
  for (const std::string& word : options.references) {
    STRATA_TRY(std::vector<VersionEntry> meant, meantBy(truth, all, word));
    const VersionEntry first = meant.front();
    std::erase_if(meant, isYoung);
    if (meant.empty()) {
      return fail(ErrorCode::NotFound, fmt::format("{}: is too young: {} was removed on {}", word,
                                                   first.label(), wordDate(first.removedAt)));
    }
    for (VersionEntry& one : meant) {
      if (!isAmong(versions, one)) versions.push_back(std::move(one));
    }
  }
  return versions;
}

/// Takes out of `leaving` what mends a version that is damaged.
Result<std::vector<EmptyTrashReport::Held>> holdBack(const Store& store, LineageCheck& check,
                                                     const std::vector<VersionEntry>& versions,
                                                     std::vector<VersionEntry>& leaving,
                                                     const std::stop_token& stop,
                                                     const ProgressSink& progress) {
  STRATA_TRY(const auto mending, mendingSnapshots(store, check, versions, leaving, stop, progress));
  std::vector<EmptyTrashReport::Held> held;
  std::vector<VersionEntry> staying;
  for (const MendingSnapshot& one : mending) {
    held.push_back({one.snapshot.label(), one.damaged.label()});
    staying.push_back(one.snapshot);
  }
  leaveOut(leaving, staying);
  return held;
}

std::int64_t keptSeconds(const Config& config) {
  return static_cast<std::int64_t>(config.number("trash.days")) * kSecondsOfDay;
}

}  // namespace

std::int64_t keptUntil(const VersionEntry& removed, const Config& config) {
  return removed.removedAt + keptSeconds(config);
}

std::int64_t expiredBefore(const Config& config) { return currentTime() - keptSeconds(config); }

Result<TrashReport> listTrash(const Store& store) {
  TrashReport report;
  STRATA_TRY(report.versions, store.catalog().versions(Place::Trash));
  STRATA_TRY(const Removals removals, lastRemovals(store.catalog()));
  const auto order = [&](const VersionEntry& version) {
    const auto found = removals.find({version.name, version.number});
    return std::pair(version.removedAt, found == removals.end() ? 0 : found->second);
  };
  std::stable_sort(report.versions.begin(), report.versions.end(),
                   [&](const auto& a, const auto& b) { return order(a) > order(b); });
  std::erase_if(report.versions, [](const VersionEntry& version) { return version.isUnlisted; });
  STRATA_TRY(const Freeable freeable, Freeable::load(store, store.catalog()));
  STRATA_TRY(report.freeableBytes, freeable.bytesWith(report.versions));
  return report;
}

Result<TrashRestoreReport> restoreFromTrash(Store& store,
                                            const std::vector<std::string>& references) {
  STRATA_TRY(const auto writer, store.lock("trash restore"));
  STRATA_TRY(const auto plain, plainReferences(writer->catalog(), references));
  STRATA_TRY(const auto versions, returning(*writer, plain));
  TrashRestoreReport report;
  STRATA_TRY(report.lostTags, writer->untrashVersions(versions));
  for (const VersionEntry& version : versions) {
    const auto entry = store.catalog().version(version.name, version.number);
    report.versions.push_back(entry ? entry->value_or(version) : version);
  }
  return report;
}

Result<EmptyTrashReport> emptyTrash(Store& store, const EmptyTrashOptions& options,
                                    const std::stop_token& stop, const ProgressSink& progress) {
  LineageCheck own(store);
  LineageCheck& check = options.check == nullptr ? own : *options.check;
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun && !options.acceptLost) {
    // Other writers need not wait until all is hashed. What counts is looked up under the lock.
    const auto trash = store.catalog().versions(Place::Trash);
    const auto live = store.catalog().versions();
    const auto done = trash && live ? mendingSnapshots(store, check, *live, *trash, stop, progress)
                                    : std::vector<MendingSnapshot>{};
    if (!done && done.error().code == ErrorCode::Cancelled) return fail(done.error());
  }
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock("trash empty", stop, Store::Purse::Reserve));
  }
  EmptyTrashReport report;
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store.refs(), store.objects(), {}));
  STRATA_TRY(const auto all, truth.versions());
  STRATA_TRY(report.versions, trashed(truth, options.references));
  STRATA_TRY(report.versions, chosen(truth, std::move(report.versions), options));
  if (!options.acceptLost) {
    STRATA_TRY(report.held, holdBack(store, check, all, report.versions, stop, progress));
  }
  Leaving leaving = sortLeaving(all, report.versions);
  STRATA_TRY(auto objects, writer
                               ? writer->eraseTrashed("trash empty", leaving.gone, leaving.needed)
                               : objectsLeaving(store, store.catalog(), truth, leaving.gone));
  std::erase_if(objects, [](const CatalogObject& object) { return object.isAwaited; });
  report.needed = std::move(leaving.needed);
  report.objectCount = objects.size();
  report.freedBytes = byteSum(objects);
  return report;
}

}  // namespace strata
