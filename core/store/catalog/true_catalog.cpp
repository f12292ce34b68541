#include "core/store/catalog/true_catalog.h"

#include <iterator>
#include <set>
#include <utility>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/read_errors.h"

namespace strata {
namespace {

class Reading {
 public:
  Reading(const RefFolder& refs, const ObjectFolder& objects) : refs_(refs), objects_(objects) {}

  Result<TrueCatalog> run(const std::stop_token& stop) {
    STRATA_TRY(truth_.catalog, Catalog::createInMemory());
    STRATA_TRY(truth_.catalog->transact([&]() -> Result<void> {
      STRATA_TRY(putVersions(Place::Live, stop));
      STRATA_TRY(putVersions(Place::Trash, stop));
      return putTags();
    }));
    return std::move(truth_);
  }

 private:
  Result<void> putVersions(Place place, const std::stop_token& stop) {
    STRATA_TRY(const RefFolder::Numbers numbers, refs_.versionNumbers(place));
    for (const auto& [name, list] : numbers) {
      for (const std::uint32_t number : list) {
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
        if (!seen_.emplace(name, number).second) continue;
        STRATA_TRY(putVersion(name, number, place));
      }
    }
    return {};
  }

  Result<void> putVersion(const std::string& name, std::uint32_t number, Place place) {
    auto ref = refs_.readVersion(name, number, place);
    if (!ref) return note({name, number, place, std::nullopt, std::move(ref).error()});
    auto manifest = readManifest(objects_, ref->manifestDigest, ref->contentDigest);
    if (!manifest) {
      return note({name, number, place, *std::move(ref), std::move(manifest).error()});
    }
    return truth_.catalog->putVersion(*ref, summarize(*manifest, ref->manifestDigest, objects_));
  }

  Result<void> note(UnreadableVersion version) {
    if (!isUnusable(version.error.code)) return fail(std::move(version.error));
    // It went elsewhere since the folder was listed.
    const bool isGone = !version.ref && version.error.code == ErrorCode::NotFound;
    if (!isGone) truth_.unreadable.push_back(std::move(version));
    return {};
  }

  Result<void> putTags() {
    STRATA_TRY(const auto names, refs_.names());
    for (const std::string& name : names) {
      STRATA_TRY(const auto tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const auto ref = refs_.readTag(name, tag);
        if (ref) STRATA_TRY(truth_.catalog->putTag(*ref));
      }
    }
    return {};
  }

  const RefFolder& refs_;
  const ObjectFolder& objects_;
  std::set<std::pair<std::string, std::uint32_t>> seen_;
  TrueCatalog truth_;
};

}  // namespace

Result<std::vector<VersionEntry>> TrueCatalog::versions() const {
  STRATA_TRY(std::vector<VersionEntry> all, catalog->versions(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog->versions(Place::Trash));
  std::move(trashed.begin(), trashed.end(), std::back_inserter(all));
  return all;
}

Result<TrueCatalog> readTrueCatalog(const RefFolder& refs, const ObjectFolder& objects,
                                    const std::stop_token& stop) {
  return Reading(refs, objects).run(stop);
}

}  // namespace strata
