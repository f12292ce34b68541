#include "core/store/catalog/lost_versions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_aside.h"
#include "core/store/refs/reference.h"
#include "core/store/store_places.h"
#include "core/store/store_survey.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

/// A version's ref file without an entry in the catalog.
struct UnlistedRef {
  std::string name;
  std::uint32_t number;
  Place place;
};

Result<std::vector<UnlistedRef>> unlistedRefs(const Store& store, const Catalog& catalog) {
  std::vector<UnlistedRef> unlisted;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto numbers, store.refs().versionNumbers(place));
    STRATA_TRY(const auto listed, catalog.numbers(place));
    for (const auto& [name, here] : numbers) {
      const auto known = listed.find(name);
      if (known != listed.end() && known->second == here) continue;  // each time, and of thousands
      for (const std::uint32_t number : here) {
        const bool isListed =
            known != listed.end() && std::ranges::binary_search(known->second, number);
        if (!isListed) unlisted.push_back({name, number, place});
      }
    }
  }
  return unlisted;
}

Result<VersionRef> readRef(const RefFolder& refs, const UnlistedRef& ref) {
  return refs.readVersion(ref.name, ref.number, ref.place);
}

std::filesystem::path pathOf(const RefFolder& refs, const UnlistedRef& ref) {
  return refs.versionPath(ref.name, ref.number, ref.place);
}

/// Empty for what is no file or cannot be read.
std::string textOf(const std::filesystem::path& path) {
  const auto problem = placeProblem(path, PlaceKind::File);
  const auto file = MappedFile::open(path);
  if (!problem || *problem || !file) return {};
  const auto bytes = file->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Nothing for a ref that a newer program wrote or the system does not let us read.
std::optional<LostVersion> readLost(const RefFolder& refs, const UnlistedRef& unlisted) {
  LostVersion lost;
  auto ref = readRef(refs, unlisted);
  if (ref) {
    lost.ref = *std::move(ref);
  } else if (!isLost(ref.error().code)) {
    return std::nullopt;
  } else {
    lost.ref.name = unlisted.name;
    lost.ref.number = unlisted.number;
    lost.ref.removedAt = unlisted.place == Place::Live ? 0 : 1;
  }
  lost.text = textOf(pathOf(refs, unlisted));
  return lost;
}

}  // namespace

bool LostVersion::holds(const Digest& content) const {
  return text.find("\"content\":\"" + toHex(content) + "\"") != std::string::npos;
}

Result<std::vector<LostVersion>> lostVersions(const Store& store, const Catalog& catalog) {
  std::vector<LostVersion> lost;
  STRATA_TRY(const auto unlisted, unlistedRefs(store, catalog));
  for (const UnlistedRef& ref : unlisted) {
    auto one = readLost(store.refs(), ref);
    if (one) lost.push_back(*std::move(one));
  }
  return lost;
}

Result<std::vector<VersionRef>> lostRefsOf(const Store& store, const Catalog& catalog,
                                           const Digest& content, const VersionRef& fresh) {
  STRATA_TRY(std::vector<LostVersion> all, lostVersions(store, catalog));
  std::vector<VersionRef> refs;
  for (LostVersion& version : all) {
    if (!version.holds(content)) continue;
    VersionRef& ref = version.ref;
    if (ref.addedAt == 0) {  // nothing of it could be read
      ref.note = fresh.note;
      ref.license = fresh.license;
      ref.sourceUrl = fresh.sourceUrl;
      ref.addedAt = currentTime();
      ref.removedAt = ref.removedAt == 0 ? 0 : ref.addedAt;
      ref.contentDigest = content;
    }
    ref.probe = fresh.probe;
    refs.push_back(std::move(ref));
  }
  return refs;
}

VersionEntry entryOf(const VersionRef& ref) {
  VersionEntry version;
  version.name = ref.name;
  version.number = ref.number;
  version.contentDigest = ref.contentDigest;
  version.manifestDigest = ref.manifestDigest;
  version.addedAt = ref.addedAt;
  version.removedAt = ref.removedAt;
  version.isUnlisted = ref.isUnlisted;
  version.note = ref.note;
  return version;
}

Result<std::optional<VersionEntry>> versionWithoutManifest(const Store& store,
                                                           const Catalog& catalog,
                                                           std::string_view text) {
  STRATA_TRY(const Reference reference, parseReference(text));
  if (reference.kind != Reference::Kind::Number) return std::nullopt;
  STRATA_TRY(const auto listed, catalog.version(reference.name, reference.number));
  const auto ref = store.refs().readVersion(reference.name, reference.number);
  if (listed || !ref) return std::nullopt;
  const auto manifest = readManifest(store, ref->manifestDigest, ref->contentDigest);
  if (manifest || !isLost(manifest.error().code)) return std::nullopt;
  return entryOf(*ref);
}

Result<std::vector<std::filesystem::path>> unaccountedRefs(const Store& store,
                                                           const std::set<Digest>& contents) {
  STRATA_TRY(const StoreSurvey survey, surveyStore(store.folder(), store.objects()));
  std::vector<std::filesystem::path> unaccounted;
  for (const std::filesystem::path& file : survey.setAside) {
    const std::string before(nameBeforeAside(file.filename().native()));
    if (RefFolder::versionOf(before, Place::Trash) == 0) continue;
    const LostVersion lost{{}, textOf(file)};
    const bool isKnown = std::any_of(contents.begin(), contents.end(),
                                     [&](const Digest& content) { return lost.holds(content); });
    if (!isKnown) unaccounted.push_back(file);
  }
  return unaccounted;
}

Result<KnownRef> refOf(const Store& store, const Catalog& catalog, const VersionEntry& version) {
  auto ref = store.refs().readVersion(version.name, version.number, version.place());
  if (ref && ref->manifestDigest == version.manifestDigest) return KnownRef{*std::move(ref), true};
  if (!ref && !isLost(ref.error().code)) return fail(std::move(ref).error());
  STRATA_TRY(VersionRef remembered, rememberedRef(catalog, version));
  return KnownRef{std::move(remembered), false};
}

bool isOldRef(const ObjectFolder& objects, const VersionRef& ref, const Digest& content,
              const Digest& listed) {
  if (ref.contentDigest != content || ref.manifestDigest == listed) return false;
  const auto own = readManifest(objects, ref.manifestDigest, content);
  return !own && isLost(own.error().code) && readManifest(objects, listed, content).has_value();
}

Result<VersionRef> rememberedRef(const Catalog& catalog, const VersionEntry& version) {
  VersionRef remembered;
  remembered.name = version.name;
  remembered.number = version.number;
  remembered.contentDigest = version.contentDigest;
  remembered.manifestDigest = version.manifestDigest;
  remembered.addedAt = version.addedAt;
  remembered.removedAt = version.removedAt;
  remembered.note = version.note;
  remembered.license = version.license;
  remembered.sourceUrl = version.sourceUrl;
  remembered.storedBytes = version.storedBytes;
  remembered.isUnlisted = version.isUnlisted;
  STRATA_TRY(remembered.signature, catalog.signatureOf(version.name, version.number));
  STRATA_TRY(const auto objects, catalog.objectsOf(version.manifestDigest));
  const bool isAwaiting = std::any_of(objects.begin(), objects.end(),
                                      [](const CatalogObject& object) { return object.isAwaited; });
  if (isAwaiting) remembered.awaited = AwaitedPacks{{}, version.label()};
  if (version.place() == Place::Trash) {
    for (const std::string& tag : version.tags) {
      remembered.tags.push_back({version.name, tag, version.number, {}, version.addedAt});
    }
  }
  return remembered;
}

RememberedRefs RememberedRefs::of(const Catalog& catalog) {
  RememberedRefs remembered;
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto versions = catalog.versions(place);
    if (!versions) continue;
    for (const VersionEntry& version : *versions) {
      auto ref = rememberedRef(catalog, version);
      const bool isName = ref && checkName(ref->name) && ref->number != 0;
      if (isName) remembered.versions.push_back(*std::move(ref));
    }
  }
  const auto tags = catalog.tags();
  if (!tags) return remembered;
  for (const TagRef& tag : *tags) {
    if (checkName(tag.name) && checkTag(tag.tag)) remembered.tags.push_back(tag);
  }
  return remembered;
}

}  // namespace strata
