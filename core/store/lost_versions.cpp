#include "core/store/lost_versions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

bool isDamage(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::NotFound;
}

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
    STRATA_TRY(const auto listed, catalog.versions(place));
    std::set<std::pair<std::string_view, std::uint32_t>> known;
    for (const VersionEntry& entry : listed) known.emplace(entry.name, entry.number);
    for (const auto& [name, list] : numbers) {
      for (const std::uint32_t number : list) {
        if (!known.contains({name, number})) unlisted.push_back({name, number, place});
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

/// Nothing for a ref that a newer program wrote or the system does not let us read.
std::optional<LostVersion> readLost(const RefFolder& refs, const UnlistedRef& unlisted) {
  LostVersion lost;
  auto ref = readRef(refs, unlisted);
  if (ref) {
    lost.ref = *std::move(ref);
  } else if (!isDamage(ref.error().code)) {
    return std::nullopt;
  } else {
    lost.ref.name = unlisted.name;
    lost.ref.number = unlisted.number;
    lost.ref.removedAt = unlisted.place == Place::Live ? 0 : 1;
  }
  const auto path = pathOf(refs, unlisted);
  const auto problem = placeProblem(path, PlaceKind::File);
  const auto file = MappedFile::open(path);
  if (problem && !*problem && file) {
    const auto bytes = file->bytes();
    lost.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
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

Result<KnownRef> refOf(const Store& store, const Catalog& catalog, const VersionEntry& version) {
  auto ref = store.refs().readVersion(version.name, version.number, version.place());
  if (ref && ref->manifestDigest == version.manifestDigest) return KnownRef{*std::move(ref), true};
  if (!ref && !isDamage(ref.error().code)) return fail(std::move(ref).error());
  STRATA_TRY(VersionRef remembered, rememberedRef(catalog, version));
  return KnownRef{std::move(remembered), false};
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

}  // namespace strata
