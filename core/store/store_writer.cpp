#include "core/store/store_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>

#include "core/store/lost_versions.h"
#include "core/store/object_hold.h"
#include "core/store/ref_rename.h"

namespace strata {

std::int64_t currentTime() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Tells the writer of each object that was not in the store before.
class StoreWriter::TrackedObject final : public NewObject {
 public:
  TrackedObject(std::unique_ptr<NewObject> object, StoreWriter& writer)
      : object_(std::move(object)), writer_(writer) {}

  Result<void> append(std::span<const std::byte> bytes) override { return object_->append(bytes); }
  std::uint64_t byteCount() const noexcept override { return object_->byteCount(); }
  Result<Digest> commit() override {
    STRATA_TRY(const Digest digest, object_->commit());
    writer_.noteObject(digest);
    return digest;
  }

 private:
  std::unique_ptr<NewObject> object_;
  StoreWriter& writer_;
};

StoreWriter::StoreWriter(const Store& store, StoreLock lock, std::unique_ptr<Catalog> catalog)
    : store_(store), lock_(std::move(lock)), catalog_(std::move(catalog)) {}

StoreWriter::~StoreWriter() {
  // Versions that the catalog does not list may need what was written once more: gc gets the rest.
  if (unowned_.empty() || !requireNoneLost(store_, *catalog_)) return;
  // Objects that are in use were in the store before and written once more.
  const auto objects = catalog_->objects();
  if (!objects) return;
  std::set<Digest> used;
  for (const CatalogObject& object : *objects) used.insert(object.digest);
  std::erase_if(unowned_, [&](const Digest& digest) { return used.contains(digest); });
  if (!removeUnheld(unowned_)) lock_.leaveMark();
}

Result<std::set<Digest>> StoreWriter::removeUnheld(const std::vector<Digest>& objects) {
  std::set<Digest> removed;
  if (objects.empty()) return removed;
  STRATA_TRY(const HeldObjects held, HeldObjects::collect(store_.folder(), {}));
  for (const Digest& digest : objects) {
    if (held.contains(digest)) continue;
    STRATA_TRY(store_.objects().remove(digest));
    removed.insert(digest);
  }
  return removed;
}

Result<std::unique_ptr<NewObject>> StoreWriter::createObject() {
  STRATA_TRY(std::unique_ptr<NewObject> object, store_.objects().create());
  return std::make_unique<TrackedObject>(std::move(object), *this);
}

Result<void> StoreWriter::record(std::string_view kind, std::string_view detail,
                                 const std::function<Result<void>()>& change) {
  Result<void> done = catalog_->transact([&]() -> Result<void> {
    STRATA_TRY(change());
    return catalog_->log(kind, detail, currentTime());
  });
  // The refs have it; the next writer tells the catalog.
  if (!done) lock_.leaveMark();
  return done;
}

Result<std::uint32_t> StoreWriter::nextNumber(std::string_view name) const {
  STRATA_TRY(std::uint32_t last, catalog_->lastNumber(name));
  // The files count, not the catalog alone: it does not list what it could not read.
  STRATA_TRY(const std::uint32_t highest, highestNumber(store_.refs(), name));
  last = std::max(last, highest);
  if (last == UINT32_MAX) {
    return fail(ErrorCode::LimitExceeded, fmt::format("{}: has no number left", name));
  }
  return last + 1;
}

Result<VersionEntry> StoreWriter::addVersion(VersionRef ref, const ManifestSummary& manifest,
                                             const std::vector<std::string>& tags) {
  STRATA_TRY(ref.number, nextNumber(ref.name));
  ref.addedAt = currentTime();
  ref.removedAt = 0;
  std::vector<TagRef> tagRefs;
  tagRefs.reserve(tags.size());
  for (const std::string& tag : tags) {
    tagRefs.push_back({ref.name, tag, ref.number, {}, ref.addedAt});
  }
  return putVersion("add", ref, manifest, tagRefs);
}

Result<VersionEntry> StoreWriter::adoptVersion(VersionRef ref, const ManifestSummary& manifest) {
  std::error_code status;
  if (std::filesystem::exists(store_.refs().versionPath(ref.name, ref.number), status) ||
      std::filesystem::exists(store_.refs().versionPath(ref.name, ref.number, Place::Trash),
                              status)) {
    STRATA_TRY(ref.number, nextNumber(ref.name));
  }
  ref.removedAt = 0;
  return putVersion("pull", ref, manifest, {});
}

Result<VersionEntry> StoreWriter::putVersion(std::string_view kind, const VersionRef& ref,
                                             const ManifestSummary& manifest,
                                             const std::vector<TagRef>& tagRefs) {
  // From here on the objects belong to the version, whatever happens.
  unowned_.clear();
  Result<void> written = store_.refs().writeNewVersion(ref);
  for (std::size_t i = 0; written && i < tagRefs.size(); ++i) {
    written = store_.refs().writeTag(tagRefs[i]);
  }
  if (!written) {
    lock_.leaveMark();
    return fail(written.error());
  }
  STRATA_TRY(record(kind, ref.label(), [&]() -> Result<void> {
    STRATA_TRY(catalog_->putVersion(ref, manifest));
    for (const TagRef& tag : tagRefs) STRATA_TRY(catalog_->putTag(tag));
    return {};
  }));
  STRATA_TRY(auto entry, catalog_->version(ref.name, ref.number));
  if (!entry) return fail(ErrorCode::Internal, ref.label() + ": is not in the catalog");
  return *std::move(entry);
}

Result<void> StoreWriter::replaceManifests(std::vector<VersionRef> refs,
                                           const ManifestSummary& manifest) {
  const std::uint64_t storedBytes =
      std::accumulate(manifest.packBytes.begin(), manifest.packBytes.end(), manifest.manifestBytes);
  std::vector<CatalogObject> old;
  for (VersionRef& ref : refs) {
    if (ref.manifestDigest == manifest.entry.manifestDigest) continue;
    STRATA_TRY(const auto objects, catalog_->objectsOf(ref.manifestDigest));
    old.insert(old.end(), objects.begin(), objects.end());
    ref.manifestDigest = manifest.entry.manifestDigest;
    if (ref.storedBytes != 0) ref.storedBytes = storedBytes;
    if (ref.awaited) ref.awaited->packBytes = manifest.packBytes;
  }
  const bool isWhole =
      std::all_of(manifest.packs.begin(), manifest.packs.end(),
                  [&](const Digest& pack) { return store_.objects().byteCount(pack).has_value(); });
  for (VersionRef& ref : refs) {
    if (isWhole) ref.awaited.reset();
  }
  lock_.leaveMark();
  // From here on the objects belong to the versions, whatever happens.
  unowned_.clear();
  for (const VersionRef& ref : refs) {
    STRATA_TRY(ref.removedAt == 0 ? store_.refs().writeVersion(ref)
                                  : store_.refs().writeTrashed(ref));
  }
  STRATA_TRY(record("repair", refs.empty() ? "" : refs.front().label(), [&]() -> Result<void> {
    for (const VersionRef& ref : refs) STRATA_TRY(catalog_->putVersion(ref, manifest));
    return catalog_->dropUnused();
  }));
  STRATA_TRY(removeUnneeded(old));
  lock_.clearMark();
  return {};
}

Result<void> StoreWriter::removeUnneeded(const std::vector<CatalogObject>& objects) {
  if (!requireNoneLost(store_, *catalog_)) return {};  // gc gets them once nothing is lost
  STRATA_TRY(const auto needed, catalog_->objects());
  std::set<Digest> kept;
  for (const CatalogObject& object : needed) kept.insert(object.digest);
  std::vector<Digest> unneeded;
  for (const CatalogObject& object : objects) {
    if (!kept.contains(object.digest)) unneeded.push_back(object.digest);
  }
  STRATA_TRY(removeUnheld(unneeded));
  return {};
}

Result<void> StoreWriter::trashVersion(const VersionEntry& version) {
  STRATA_TRY(VersionRef ref, store_.refs().readVersion(version.name, version.number));
  ref.removedAt = currentTime();
  for (const std::string& tag : version.tags) {
    STRATA_TRY(TagRef tagRef, store_.refs().readTag(version.name, tag));
    ref.tags.push_back(std::move(tagRef));
  }
  lock_.leaveMark();
  STRATA_TRY(store_.refs().writeTrashed(ref));
  STRATA_TRY(store_.refs().eraseVersion(ref.name, ref.number));
  for (const TagRef& tag : ref.tags) STRATA_TRY(store_.refs().eraseTag(tag.name, tag.tag));
  STRATA_TRY(record("remove", ref.label(),
                    [&] { return catalog_->markRemoved(ref.name, ref.number, ref.removedAt); }));
  lock_.clearMark();
  return {};
}

Result<std::vector<std::string>> StoreWriter::untrashVersion(const VersionEntry& version) {
  STRATA_TRY(VersionRef ref, store_.refs().readVersion(version.name, version.number, Place::Trash));
  STRATA_TRY(const std::vector<std::string> inUse, store_.refs().tagNames(ref.name));
  std::vector<std::string> lost;
  std::vector<TagRef> kept;
  for (TagRef& tag : ref.tags) {
    const bool isTaken = std::find(inUse.begin(), inUse.end(), tag.tag) != inUse.end();
    isTaken ? lost.push_back(tag.tag) : kept.push_back(std::move(tag));
  }
  ref.tags.clear();
  ref.removedAt = 0;
  lock_.leaveMark();
  for (const TagRef& tag : kept) STRATA_TRY(store_.refs().writeTag(tag));
  STRATA_TRY(store_.refs().writeVersion(ref));
  STRATA_TRY(store_.refs().eraseVersion(ref.name, ref.number, Place::Trash));
  STRATA_TRY(record("restore from trash", ref.label(), [&]() -> Result<void> {
    STRATA_TRY(catalog_->eraseTrashedTags(ref.name, ref.number));
    STRATA_TRY(catalog_->markRemoved(ref.name, ref.number, 0));
    for (const TagRef& tag : kept) STRATA_TRY(catalog_->putTag(tag));
    return {};
  }));
  lock_.clearMark();
  return lost;
}

Result<std::vector<CatalogObject>> StoreWriter::eraseTrashed(
    const std::vector<VersionEntry>& versions) {
  STRATA_TRY(requireNoneLost(store_, *catalog_));
  STRATA_TRY(std::vector<CatalogObject> objects, catalog_->objectsOnlyOf(versions));
  lock_.leaveMark();
  for (const VersionEntry& version : versions) {
    STRATA_TRY(const std::uint32_t last, catalog_->lastNumber(version.name));
    STRATA_TRY(store_.refs().writeLastNumber(version.name, last));
    STRATA_TRY(store_.refs().eraseVersion(version.name, version.number, Place::Trash));
  }
  STRATA_TRY(record("empty trash", std::to_string(versions.size()), [&]() -> Result<void> {
    for (const VersionEntry& version : versions) {
      STRATA_TRY(catalog_->noteLastNumber(version.name, version.number));
      STRATA_TRY(catalog_->eraseVersion(version.name, version.number));
    }
    return catalog_->dropUnused();
  }));
  // Objects go last: whoever dies before leaves some that nothing needs, never the reverse.
  std::vector<Digest> unneeded;
  for (const CatalogObject& object : objects) unneeded.push_back(object.digest);
  STRATA_TRY(const std::set<Digest> removed, removeUnheld(unneeded));
  std::erase_if(objects, [&](const auto& object) { return !removed.contains(object.digest); });
  lock_.clearMark();
  return objects;
}

Result<void> StoreWriter::renameVersions(const std::string& name, const std::string& to) {
  lock_.leaveMark();
  STRATA_TRY(copyRefs(store_.refs(), name, to));
  // Who reads by the old name finds its refs until the catalog has the new one.
  STRATA_TRY(
      record("rename", name + " to " + to, [&] { return catalog_->renameVersions(name, to); }));
  STRATA_TRY(dropCopiedRefs(store_.refs(), name, to));
  lock_.clearMark();
  return {};
}

Result<void> StoreWriter::putTag(const TagRef& tag) {
  lock_.leaveMark();
  STRATA_TRY(store_.refs().writeTag(tag));
  STRATA_TRY(record("tag", tag.name + ":" + tag.tag, [&] { return catalog_->putTag(tag); }));
  lock_.clearMark();
  return {};
}

Result<void> StoreWriter::eraseTag(const TagRef& tag) {
  lock_.leaveMark();
  STRATA_TRY(store_.refs().eraseTag(tag.name, tag.tag));
  STRATA_TRY(record("remove tag", tag.name + ":" + tag.tag,
                    [&] { return catalog_->eraseTag(tag.name, tag.tag); }));
  lock_.clearMark();
  return {};
}

}  // namespace strata
