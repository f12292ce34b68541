#include "core/store/lost_versions.h"

#include <optional>
#include <set>
#include <utility>

#include "core/io/mapped_file.h"

namespace strata {
namespace {

using Place = Catalog::Place;

bool isDamage(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::NotFound;
}

/// Nothing for a ref that a newer program wrote or the system does not let us read.
std::optional<LostVersion> readLost(const RefFolder& refs, const std::string& name,
                                    std::uint32_t number, Place place) {
  const bool isLive = place == Place::Live;
  LostVersion lost;
  auto ref = isLive ? refs.readVersion(name, number) : refs.readTrashed(name, number);
  if (ref) {
    lost.ref = *std::move(ref);
  } else if (!isDamage(ref.error().code)) {
    return std::nullopt;
  } else {
    lost.ref.name = name;
    lost.ref.number = number;
    lost.ref.removedAt = isLive ? 0 : 1;
  }
  const auto file =
      MappedFile::open(isLive ? refs.versionPath(name, number) : refs.trashedPath(name, number));
  if (file) {
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
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto numbers, place == Place::Live ? store.refs().versionNumbers()
                                                        : store.refs().trashedNumbers());
    STRATA_TRY(const auto listed, catalog.versions(place));
    std::set<std::pair<std::string_view, std::uint32_t>> known;
    for (const VersionEntry& entry : listed) known.emplace(entry.name, entry.number);
    for (const auto& [name, list] : numbers) {
      for (const std::uint32_t number : list) {
        if (known.contains({name, number})) continue;
        auto one = readLost(store.refs(), name, number, place);
        if (one) lost.push_back(*std::move(one));
      }
    }
  }
  return lost;
}

Result<KnownRef> refOf(const Store& store, const Catalog& catalog, const VersionEntry& version) {
  const bool isLive = version.removedAt == 0;
  auto ref = isLive ? store.refs().readVersion(version.name, version.number)
                    : store.refs().readTrashed(version.name, version.number);
  if (ref && ref->manifestDigest == version.manifestDigest) return KnownRef{*std::move(ref), true};
  if (!ref && !isDamage(ref.error().code)) return fail(std::move(ref).error());
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
  STRATA_TRY(remembered.signature, catalog.signatureOf(version.name, version.number));
  if (!isLive) {
    for (const std::string& tag : version.tags) {
      remembered.tags.push_back({version.name, tag, version.number, {}, version.addedAt});
    }
  }
  return KnownRef{std::move(remembered), false};
}

}  // namespace strata
