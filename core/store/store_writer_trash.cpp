#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/number_notes.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/lineage_order.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/object_hold.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_writer.h"

// To the trash, out of it, and from there for good.

namespace strata {

namespace {

/// The tags of a name, each as far as it can be read.
using ReadTags = std::map<std::string, Result<TagRef>>;

Result<ReadTags> readTags(const RefFolder& refs, const std::string& name) {
  STRATA_TRY(const std::vector<std::string> names, refs.tagNames(name));
  ReadTags tags;
  for (const std::string& tag : names) tags.emplace(tag, refs.readTag(name, tag));
  return tags;
}

/// Those of one version. One that is listed and cannot be read fails.
Result<std::vector<TagRef>> tagsOfVersion(const ReadTags& tags, const VersionEntry& version) {
  std::vector<TagRef> own;
  for (const auto& [tag, tagRef] : tags) {
    const bool isListed =
        std::find(version.tags.begin(), version.tags.end(), tag) != version.tags.end();
    if (!tagRef && isListed) return fail(tagRef.error());
    if (tagRef && tagRef->number == version.number) own.push_back(*tagRef);
  }
  return own;
}

}  // namespace

Result<void> StoreWriter::trashVersions(const std::vector<VersionEntry>& versions,
                                        std::string_view kind) {
  const RefFolder& refs = store_.refs();
  RefChange all;
  std::map<std::string, ReadTags> tagsOf;  // by name
  for (const VersionEntry& version : versions) {
    STRATA_TRY(VersionRef ref, refs.readVersion(version.name, version.number));
    ref.removedAt = currentTime();
    const auto [tags, isNew] = tagsOf.try_emplace(version.name);
    if (isNew) {
      STRATA_TRY(tags->second, readTags(refs, version.name));
    }
    STRATA_TRY(ref.tags, tagsOfVersion(tags->second, version));
    all.versions.push_back(std::move(ref));
  }
  return changeRefs(kind, labelsOf(all.versions), all, [&]() -> Result<void> {
    for (const VersionRef& ref : all.versions) {
      STRATA_TRY(catalog_->markRemoved(ref.name, ref.number, ref.removedAt));
    }
    return {};
  });
}

Result<VersionEntry> StoreWriter::replaceVersion(const VersionEntry& former, VersionRef ref,
                                                 const ManifestSummary& manifest,
                                                 std::string_view kind) {
  const RefFolder& refs = store_.refs();
  STRATA_TRY(VersionRef leaving, refs.readVersion(former.name, former.number));
  STRATA_TRY(const ReadTags tags, readTags(refs, former.name));
  STRATA_TRY(leaving.tags, tagsOfVersion(tags, former));
  leaving.removedAt = currentTime();
  ref.name = former.name;
  STRATA_TRY(ref.number, nextNumber(ref));
  ref.addedAt = leaving.addedAt;
  ref.note = leaving.note;
  ref.license = leaving.license;
  ref.sourceUrl = leaving.sourceUrl;
  STRATA_TRY(checkHere(ref.label(), {manifest.packsHere.begin(), manifest.packsHere.end()}));
  RefChange all{.versions = {ref, leaving}, .tags = leaving.tags};
  for (TagRef& tag : all.tags) {
    tag.number = ref.number;
    tag.taggedAt = leaving.removedAt;
  }
  // The objects belong to the version, unless the change is taken back.
  std::vector<Digest> objects = std::exchange(unowned_, {});
  const auto done = changeRefs(kind, former.label() + " to " + ref.label(), all,
                               [&] { return putInCatalog(all); });
  if (!done && isOver(refs)) unowned_ = std::move(objects);
  if (!done) return fail(done.error());
  STRATA_TRY(auto entry, catalog_->version(ref.name, ref.number));
  return std::move(entry).value_or(manifest.entry);
}

Result<std::vector<std::string>> StoreWriter::untrashVersions(
    const std::vector<VersionEntry>& versions, const std::vector<TagRef>& tags,
    std::string_view kind) {
  const RefFolder& refs = store_.refs();
  RefChange all;
  all.tags = tags;
  std::vector<TagRef>& kept = all.tags;
  std::vector<std::string> lost;
  for (const VersionEntry& version : versions) {
    STRATA_TRY(VersionRef ref, refs.readVersion(version.name, version.number, Place::Trash));
    STRATA_TRY(const std::vector<std::string> inUse, refs.tagNames(ref.name));
    for (TagRef& tag : std::exchange(ref.tags, {})) {
      const bool isGiven = std::any_of(tags.begin(), tags.end(), [&](const TagRef& given) {
        return given.name == tag.name && given.tag == tag.tag && given.number == tag.number;
      });
      if (isGiven) continue;
      const bool isTaken = std::find(inUse.begin(), inUse.end(), tag.tag) != inUse.end() ||
                           std::any_of(kept.begin(), kept.end(), [&](const TagRef& other) {
                             return other.name == tag.name && other.tag == tag.tag;
                           });
      isTaken ? lost.push_back(tag.name + ":" + tag.tag) : kept.push_back(std::move(tag));
    }
    ref.removedAt = 0;
    ref.isUnlisted = false;
    all.versions.push_back(std::move(ref));
  }
  const auto inCatalog = [&]() -> Result<void> {
    for (const VersionRef& ref : all.versions) {
      STRATA_TRY(catalog_->eraseTrashedTags(ref.name, ref.number));
      STRATA_TRY(catalog_->markRemoved(ref.name, ref.number, 0));
    }
    for (const TagRef& tag : all.tags) STRATA_TRY(catalog_->putTag(tag));
    return {};
  };
  STRATA_TRY(changeRefs(kind, labelsOf(all.versions), all, inCatalog));
  return lost;
}

/// An old ref in the trash may have come back with a copy of that folder, and the live one be lost.
Result<void> StoreWriter::checkRemoved(const std::vector<VersionEntry>& versions) const {
  for (const VersionEntry& version : versions) {
    STRATA_TRY(const auto live, catalog_->version(version.name, version.number, Place::Live));
    if (!live) continue;
    return fail(ErrorCode::CorruptData,
                fmt::format("{0}: the catalog lists it, and its ref is in the trash alone; nothing "
                            "is deleted. \"strata verify --rebuild-catalog\" goes by the refs, "
                            "then \"strata trash restore {0}\" brings it back",
                            version.label()));
  }
  return {};
}

Result<std::vector<CatalogObject>> StoreWriter::eraseTrashed(
    std::string_view kind, const std::vector<VersionEntry>& versions,
    const std::vector<VersionEntry>& unlisted) {
  STRATA_TRY(checkRemoved(versions));
  STRATA_TRY(checkRemoved(unlisted));
  RefChange nameless;
  for (const VersionEntry& version : unlisted) {
    STRATA_TRY(VersionRef ref,
               store_.refs().readVersion(version.name, version.number, Place::Trash));
    ref.isUnlisted = true;
    ref.tags.clear();
    nameless.versions.push_back(std::move(ref));
  }
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store_.refs(), store_.objects(), {}));
  STRATA_TRY(std::vector<CatalogObject> objects,
             objectsLeaving(store_, *catalog_, truth, versions));
  std::vector<Digest> unneeded;
  for (const CatalogObject& object : objects) unneeded.push_back(object.digest);
  // Whatever may fail about holds does so while nothing is changed.
  std::optional<HeldObjects> held;
  if (!unneeded.empty()) {
    STRATA_TRY(HeldObjects all, HeldObjects::collect(store_.folder(), {}));
    held.emplace(std::move(all));
  }
  std::set<Digest> removed;
  std::optional<RefBatch> files;
  const auto begin = [&](TakeBack& undo) -> Result<void> {
    if (!unlisted.empty()) {
      STRATA_TRY(files, prepareRefs(store_.refs(), nameless));
      undo.add([&] { return store_.refs().eraseChange(); });
      STRATA_TRY(store_.refs().writeChange(nameless));
    }
    return eraseRefs(kind, versions, nameless, undo);
  };
  // Objects go last: whoever dies before leaves some that nothing needs, never the reverse.
  const auto finish = [&]() -> Result<void> {
    if (!unlisted.empty()) STRATA_TRY(placeRefs(store_.refs(), nameless, *files));
    if (held) STRATA_TRY(removeUnheld(unneeded, *held, removed));
    for (const VersionEntry& version : versions) {
      STRATA_TRY(store_.refs().eraseGoing(version.name, version.number));
    }
    return {};
  };
  STRATA_TRY(change(begin, finish));
  std::erase_if(objects, [&](const auto& object) { return !removed.contains(object.digest); });
  return objects;
}

/// Children go before their parents, so that what is left is whole at each instant.
Result<void> StoreWriter::eraseRefs(std::string_view kind, std::vector<VersionEntry> versions,
                                    const RefChange& unlisted, TakeBack& undo) {
  sortDifferencesFirst(versions);
  std::map<std::string, NumberedContents> leaving;
  std::map<std::string, NumberedContents> sources;
  for (const VersionEntry& version : versions) {
    leaving[version.name].emplace(version.number, version.contentDigest);
    if (!version.lossy) continue;
    const auto manifest = readManifest(store_, version.manifestDigest, version.contentDigest);
    const auto source = manifest ? manifest->originalDigest : std::nullopt;
    if (source) sources[version.name].emplace(version.number, *source);
  }
  std::vector<std::string> names;
  for (const auto& [name, contents] : leaving) {
    STRATA_TRY(const std::uint32_t last, catalog_->lastNumber(name));
    STRATA_TRY(keepNumbers(store_.refs(), name, last, contents, sources[name]));
    names.push_back(name);
  }
  STRATA_TRY(noteNumbers(store_.folder() / "catalog.sqlite", store_.refs(), names));
  for (const VersionEntry& version : versions) {
    undo.add([this, name = version.name, number = version.number] {
      return store_.refs().unmarkGoing(name, number);
    });
    STRATA_TRY(store_.refs().markGoing(version.name, version.number));
  }
  std::string labels = labelsOf(unlisted.versions);
  for (const VersionEntry& version : versions) {
    labels += (labels.empty() ? "" : ", ") + version.label();
  }
  return record(makeOperation(kind, labels), [&]() -> Result<void> {
    for (const VersionRef& ref : unlisted.versions) {
      STRATA_TRY(catalog_->markUnlisted(ref.name, ref.number));
    }
    for (const VersionEntry& version : versions) {
      STRATA_TRY(catalog_->noteLastNumber(version.name, version.number));
      STRATA_TRY(catalog_->eraseVersion(version.name, version.number));
    }
    return catalog_->dropUnused();
  });
}

Result<void> StoreWriter::finishDeletions() {
  STRATA_TRY(const RefFolder::Numbers going, store_.refs().goingNumbers());
  std::vector<Digest> objects;
  std::set<Digest> contents;
  for (const auto& [name, numbers] : going) {
    for (const std::uint32_t number : numbers) {
      const auto ref = store_.refs().readGoing(name, number);
      if (!ref) continue;
      objects.push_back(ref->manifestDigest);
      contents.insert(ref->contentDigest);
      const auto manifest = readManifest(store_, ref->manifestDigest, ref->contentDigest);
      if (!manifest) continue;
      for (const Digest& pack : manifest->packs) objects.push_back(pack);
    }
  }
  if (!objects.empty()) STRATA_TRY(removeUnneeded(objects, contents));
  for (const auto& [name, numbers] : going) {
    for (const std::uint32_t number : numbers) {
      STRATA_TRY(store_.refs().eraseGoing(name, number));
    }
  }
  return {};
}

Result<void> StoreWriter::removeUnneeded(const std::vector<Digest>& objects,
                                         const std::set<Digest>& contents) {
  STRATA_TRY(const TrueCatalog truth, readTrueCatalog(store_.refs(), store_.objects(), {}));
  const NeededObjects::Leaving leaving{.manifests = {objects.begin(), objects.end()},
                                       .contents = contents};
  const auto needed = NeededObjects::collect(store_, *catalog_, truth, leaving, {});
  if (!needed) return {};
  std::vector<Digest> unneeded;
  for (const Digest& object : objects) {
    if (!needed->contains(object)) unneeded.push_back(object);
  }
  unneeded.insert(unneeded.end(), needed->former().begin(), needed->former().end());
  if (unneeded.empty()) return {};
  STRATA_TRY(const HeldObjects held, HeldObjects::collect(store_.folder(), {}));
  std::set<Digest> removed;
  return removeUnheld(unneeded, held, removed);
}

Result<void> StoreWriter::removeUnheld(const std::vector<Digest>& objects, const HeldObjects& held,
                                       std::set<Digest>& removed) {
  std::vector<Digest> unheld;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(unheld),
               [&](const Digest& digest) { return !held.contains(digest); });
  return removeObjects(unheld, {}, removed);
}

}  // namespace strata
