#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/staged_objects.h"
#include "core/store/store.h"
#include "core/store/store_lock.h"

namespace strata {

/// The write lock of a store and what may be done under it. Objects that were taken but are not
/// part of a version when the writer goes away are deleted, unless a pull counts on them by then.
///
/// Each change is durable when its function returns: first the ref files, then one transaction of
/// the catalog. Killed in between, the next writer settles it (core/store/catalog_sync.h). After a
/// failure other than InvalidArgument or NotFound it does the same.
class StoreWriter final {
 public:
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  const Store& store() const noexcept { return store_; }
  /// The catalog as this writer sees it.
  const Catalog& catalog() const noexcept { return *catalog_; }
  /// The version that `reference` means, as the catalog and the refs say together. Fails as
  /// resolveIn, and with CorruptData if they do not agree.
  Result<VersionEntry> resolve(std::string_view reference, Place place = Place::Live) const;

  /// Moves staged objects to their places. They are deleted with the writer unless a version needs
  /// them by then. Fails with NoSpace or Io.
  Result<void> take(const StagedObjects& staged);

  /// Makes a version of objects that are in the store, as the next number of its name, and puts
  /// tags on it, from wherever they were. Fills in number and date.
  Result<VersionEntry> addVersion(VersionRef ref, const ManifestSummary& manifest,
                                  const std::vector<std::string>& tags);

  /// As addVersion for one that another store numbered and dated: keeps the number if no version
  /// has it here, the trash's included, else takes the next one.
  Result<VersionEntry> adoptVersion(VersionRef ref, const ManifestSummary& manifest);

  /// Makes versions of one content, live or in the trash, rest on a manifest of it that is in the
  /// store: writes their refs and lists them, whether they were or not. They await packs no more
  /// if all are here. Then deletes the
  /// objects that only the manifests that they named before needed.
  Result<void> replaceManifests(std::vector<VersionRef> refs, const ManifestSummary& manifest);

  /// Writes refs anew that are missing or damaged, from what the catalog remembers; returns the
  /// labels of their versions.
  Result<std::vector<std::string>> rescueRefs();

  /// To the trash, together with its tags. The caller has looked at dependants.
  Result<void> trashVersion(const VersionEntry& version);
  /// Out of it; returns the tags that another version has by now.
  Result<std::vector<std::string>> untrashVersion(const VersionEntry& version);
  /// Deletes versions of the trash for good, then the objects that nothing else needs and no pull
  /// holds (core/store/object_hold.h); returns those. Killed in between, the next writer goes on.
  /// Fails with what NeededObjects::collect fails with, before anything is changed.
  Result<std::vector<CatalogObject>> eraseTrashed(const std::vector<VersionEntry>& versions);

  /// Gives all versions of `name`, the trash's too, and their tags the name `to`, which has none.
  /// Numbers, dates and notes stay. Fails with CorruptData, changing nothing, if a ref cannot be
  /// read.
  Result<void> renameVersions(const std::string& name, const std::string& to);

  /// Puts or moves a tag.
  Result<void> putTag(const TagRef& tag);
  Result<void> eraseTag(const TagRef& tag);

 private:
  friend class Store;
  StoreWriter(const Store& store, StoreLock lock, std::unique_ptr<Catalog> catalog);
  Result<std::uint32_t> nextNumber(std::string_view name) const;
  /// Deletes those of `objects` that no version needs and no pull holds. While the store is damaged
  /// they stay, and gc gets them later.
  Result<void> removeUnneeded(const std::vector<Digest>& objects);
  /// What a writer that died was deleting for good, goes.
  Result<void> finishDeletions();
  Result<void> eraseRefs(std::vector<VersionEntry> versions);
  Result<void> record(std::string_view kind, std::string_view detail,
                      const std::function<Result<void>()>& change);
  Result<VersionEntry> putVersion(std::string_view kind, const VersionRef& ref,
                                  const ManifestSummary& manifest, const std::vector<TagRef>& tags);
  /// Deletes those of `objects` that no pull holds; returns them.
  Result<std::set<Digest>> removeUnheld(const std::vector<Digest>& objects);

  const Store& store_;
  StoreLock lock_;
  std::unique_ptr<Catalog> catalog_;
  std::vector<Digest> unowned_;  ///< taken, of no version so far
};

/// Seconds since 1970, UTC.
std::int64_t currentTime();

inline constexpr std::int64_t kSecondsOfDay = 86'400;

}  // namespace strata
