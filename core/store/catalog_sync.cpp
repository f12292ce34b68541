#include "core/store/catalog_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/store/manifest_summary.h"
#include "core/store/ref_rename.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

std::set<Key> keysOf(const RefFolder::Numbers& numbers) {
  std::set<Key> keys;
  for (const auto& [name, list] : numbers) {
    for (const std::uint32_t number : list) keys.emplace(name, number);
  }
  return keys;
}

/// Versions as the catalog knows them, with their manifests.
using Known = std::map<Key, Digest>;

Known knownOf(const std::vector<VersionEntry>& entries) {
  Known known;
  for (const VersionEntry& entry : entries) {
    known.emplace(Key(entry.name, entry.number), entry.manifestDigest);
  }
  return known;
}

/// ObjectFolder as readManifest wants it.
class Objects final : public ObjectReader {
 public:
  explicit Objects(const ObjectFolder& folder) : folder_(folder) {}
  Result<MappedFile> openObject(const Digest& digest) const override {
    return folder_.open(digest);
  }

 private:
  const ObjectFolder& folder_;
};

class Sync {
 public:
  Sync(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects, SyncScope scope)
      : catalog_(catalog), refs_(refs), objects_(objects), scope_(scope) {}

  Result<SyncReport> run(std::stop_token stop, const ProgressSink& progress) {
    STRATA_TRY(names_, refs_.names());
    STRATA_TRY(settleRenames(refs_, names_));
    STRATA_TRY(const RefFolder::Numbers live, refs_.versionNumbers());
    STRATA_TRY(const RefFolder::Numbers trashed, refs_.versionNumbers(Place::Trash));
    live_ = keysOf(live);
    trashed_ = keysOf(trashed);
    STRATA_TRY(settle());
    STRATA_TRY(catalog_.transact([&]() -> Result<void> {
      STRATA_TRY(forget());
      STRATA_TRY(putVersions(live_, Place::Live, stop, progress));
      STRATA_TRY(putVersions(trashed_, Place::Trash, stop, progress));
      STRATA_TRY(putTags());
      return catalog_.dropUnused();
    }));
    report_.versionCount = live_.size() - unreadableLive_;
    report_.trashedCount = trashed_.size() - unreadableTrashed_;
    return std::move(report_);
  }

 private:
  /// A version both live and in the trash was on its way in one direction: it stays live. A tag
  /// without its version goes; the trash has it.
  Result<void> settle() {
    for (auto key = trashed_.begin(); key != trashed_.end();) {
      if (!live_.contains(*key)) {
        ++key;
        continue;
      }
      STRATA_TRY(refs_.eraseVersion(key->first, key->second, Place::Trash));
      key = trashed_.erase(key);
    }
    for (const std::string& name : names_) {
      STRATA_TRY(const std::vector<std::string> tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const Result<TagRef> ref = refs_.readTag(name, tag);
        if (!ref || live_.contains({name, ref->number})) continue;
        STRATA_TRY(refs_.eraseTag(name, tag));
      }
    }
    return {};
  }

  Result<void> forget() {
    if (scope_ == SyncScope::Everything) return catalog_.clear();
    STRATA_TRY(const auto live, catalog_.versions(Place::Live));
    STRATA_TRY(const auto trashed, catalog_.versions(Place::Trash));
    knownLive_ = knownOf(live);
    knownTrashed_ = knownOf(trashed);
    for (const auto& [known, kept] :
         {std::pair(&knownLive_, &live_), std::pair(&knownTrashed_, &trashed_)}) {
      for (const auto& [key, manifest] : *known) {
        if (!kept->contains(key)) STRATA_TRY(catalog_.eraseVersion(key.first, key.second));
      }
    }
    return {};
  }

  Result<void> putVersions(const std::set<Key>& keys, Place place, const std::stop_token& stop,
                           const ProgressSink& progress) {
    const Known& known = place == Place::Live ? knownLive_ : knownTrashed_;
    std::size_t done = 0;
    for (const auto& [name, number] : keys) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      if (progress && ++done % 100 == 0) {
        progress({"reading refs", fmt::format("{}:v{}", name, number), done, keys.size()});
      }
      const auto knownAs = known.find({name, number});
      Result<void> put =
          putVersion(name, number, place,
                     knownAs == known.end() ? std::nullopt : std::optional(knownAs->second));
      if (put) continue;
      if (!isDamage(put.error().code)) return put;
      ++(place == Place::Live ? unreadableLive_ : unreadableTrashed_);
      report_.problems.push_back(put.error().within(fmt::format("{}:v{}", name, number)).message);
    }
    return {};
  }

  static bool isDamage(ErrorCode code) noexcept {
    return code == ErrorCode::CorruptData || code == ErrorCode::NotFound ||
           code == ErrorCode::FormatTooNew;
  }

  /// Nothing to do where the catalog knows the version with the manifest that the ref names, unless
  /// it awaits packs: they may be here by now.
  Result<void> putVersion(const std::string& name, std::uint32_t number, Place place,
                          const std::optional<Digest>& knownManifest) {
    STRATA_TRY(const VersionRef ref, refs_.readVersion(name, number, place));
    if (knownManifest == ref.manifestDigest && !ref.awaited) return {};
    STRATA_TRY(const Manifest manifest,
               readManifest(Objects(objects_), ref.manifestDigest, ref.contentDigest));
    return catalog_.putVersion(ref, summarize(manifest, ref.manifestDigest, objects_));
  }

  /// Of the refs there are, readable or not: their numbers are taken.
  std::uint32_t highestOf(const std::string& name) const {
    std::uint32_t highest = 0;
    for (const std::set<Key>* keys : {&live_, &trashed_}) {
      const auto after = keys->upper_bound({name, std::numeric_limits<std::uint32_t>::max()});
      if (after == keys->begin()) continue;
      const Key& last = *std::prev(after);
      if (last.first == name) highest = std::max(highest, last.second);
    }
    return highest;
  }

  Result<void> putTags() {
    STRATA_TRY(const std::vector<TagRef> known, catalog_.tags());
    for (const TagRef& tag : known) STRATA_TRY(catalog_.eraseTag(tag.name, tag.tag));
    for (const std::string& name : names_) {
      const Result<LastNumber> last = refs_.readLastNumber(name);
      if (!last) report_.problems.push_back(last.error().message);
      STRATA_TRY(catalog_.noteLastNumber(
          name, std::max(last.value_or(LastNumber{}).number, highestOf(name))));
      STRATA_TRY(const std::vector<std::string> tags, refs_.tagNames(name));
      for (const std::string& tag : tags) {
        const Result<TagRef> ref = refs_.readTag(name, tag);
        if (ref) {
          STRATA_TRY(catalog_.putTag(*ref));
          ++report_.tagCount;
        } else {
          report_.problems.push_back(ref.error().message);
        }
      }
    }
    return {};
  }

  Catalog& catalog_;
  const RefFolder& refs_;
  const ObjectFolder& objects_;
  SyncScope scope_;
  std::vector<std::string> names_;
  std::set<Key> live_, trashed_;    ///< as the refs say
  Known knownLive_, knownTrashed_;  ///< as the catalog said, for SyncScope::Differences
  std::uint64_t unreadableLive_ = 0, unreadableTrashed_ = 0;
  SyncReport report_;
};

}  // namespace

Result<SyncReport> syncCatalog(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects,
                               SyncScope scope, std::stop_token stop,
                               const ProgressSink& progress) {
  return Sync(catalog, refs, objects, scope).run(std::move(stop), progress);
}

}  // namespace strata
