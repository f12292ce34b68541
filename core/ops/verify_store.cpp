#include "core/ops/verify_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "core/ops/detail/lineage.h"
#include "core/ops/detail/version_stream.h"
#include "core/parallel.h"
#include "core/progress_meter.h"
#include "core/store/awaited_packs.h"
#include "core/store/check_dates.h"
#include "core/store/manifest_summary.h"
#include "core/store/object_check.h"
#include "core/store/store_writer.h"
#include "core/store/version_chain.h"

namespace strata {
namespace {

using Level = VerifyOptions::Level;

/// An object and who cannot do without it.
struct Checked {
  CatalogObject object;
  std::set<std::string> versions;  ///< labels
  std::string problem;             ///< empty if it is sound
};

class Verification {
 public:
  Verification(const Store& store, const VerifyOptions& options)
      : store_(store), options_(options) {}

  Result<VerifyReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(collectVersions());
    STRATA_TRY(collectObjects());
    STRATA_TRY(checkCatalog());
    checkRefs();
    STRATA_TRY(findAbsent());
    STRATA_TRY(checkObjects(stop, progress));
    if (options_.level == Level::Rebuild) STRATA_TRY(rebuildAll(stop, progress));
    for (const Damage& damage : report_.damages) {
      for (const std::string& label : damage.versions) damaged_.insert(label);
    }
    countVersions();
    keepDates();
    report_.checkedBytes = checkedBytes_;
    report_.damagedVersions.assign(damaged_.begin(), damaged_.end());
    return std::move(report_);
  }

 private:
  Result<void> collectVersions() {
    STRATA_TRY(lineage_, Lineage::load(store_.catalog()));
    if (!options_.references.empty()) {
      std::set<std::string> labels;
      for (const std::string& reference : options_.references) {
        STRATA_TRY(const VersionEntry version, store_.resolve(reference));
        for (const VersionEntry* one : lineage_.lineOf(version)) {
          if (labels.insert(one->label()).second) versions_.push_back(*one);
        }
      }
    } else {
      STRATA_TRY(versions_, store_.catalog().versions(Place::Live));
      STRATA_TRY(const auto trashed, store_.catalog().versions(Place::Trash));
      versions_.insert(versions_.end(), trashed.begin(), trashed.end());
    }
    return {};
  }

  /// Labels of a version and of all that are rebuilt through it.
  std::set<std::string> dependingOn(const VersionEntry& version) const {
    std::set<std::string> labels{version.label()};
    for (const VersionEntry& other : versions_) {
      for (const VersionEntry* one : lineage_.lineOf(other)) {
        if (one->contentDigest == version.contentDigest) labels.insert(other.label());
      }
    }
    return labels;
  }

  Result<void> collectObjects() {
    for (const VersionEntry& version : versions_) {
      STRATA_TRY(const auto objects, store_.catalog().objectsOf(version.manifestDigest));
      for (const CatalogObject& object : objects) {
        Checked& checked =
            objects_.try_emplace(object.digest, Checked{object, {}, {}}).first->second;
        checked.versions.insert(version.label());
      }
    }
    return {};
  }

  Result<void> checkCatalog() {
    const auto problems = store_.catalog().integrityProblems();
    if (!problems && problems.error().code != ErrorCode::CorruptData) return fail(problems.error());
    if (!problems) {
      addCatalogDamage(problems.error().message);
    } else {
      for (const std::string& problem : *problems) addCatalogDamage(problem);
    }
    if (!options_.references.empty()) return {};
    for (const Place place : {Place::Live, Place::Trash}) STRATA_TRY(checkListed(place));
    return checkTags();
  }

  /// Refs that the catalog does not list.
  Result<void> checkListed(Place place) {
    STRATA_TRY(const auto numbers, store_.refs().versionNumbers(place));
    for (const auto& [name, list] : numbers) {
      for (const std::uint32_t number : list) {
        STRATA_TRY(const auto entry, store_.catalog().version(name, number, place));
        if (!entry) addCatalogDamage(fmt::format("does not list {}:v{}", name, number));
      }
    }
    return {};
  }

  Result<void> checkTags() {
    STRATA_TRY(const auto listed, store_.catalog().tags());
    STRATA_TRY(const auto names, store_.refs().names());
    std::size_t fileCount = 0;
    for (const std::string& name : names) {
      STRATA_TRY(const auto tags, store_.refs().tagNames(name));
      fileCount += tags.size();
    }
    for (const TagRef& tag : listed) {
      const auto ref = store_.refs().readTag(tag.name, tag.tag);
      if (ref && *ref == tag) continue;
      addRefDamage(store_.refs().tagPath(tag.name, tag.tag),
                   ref ? "does not agree with the catalog" : ref.error().message, {});
    }
    if (fileCount != listed.size()) {
      addCatalogDamage(fmt::format("lists {} tags, there are {}", listed.size(), fileCount));
    }
    return {};
  }

  void checkRefs() {
    for (const VersionEntry& version : versions_) {
      const Place place = version.place();
      const auto path = store_.refs().versionPath(version.name, version.number, place);
      const auto ref = store_.refs().readVersion(version.name, version.number, place);
      if (ref && ref->awaited) awaiting_.emplace(version.label(), *ref);
      if (!ref) {
        addRefDamage(path, ref.error().message, {version.label()});
      } else if (!agrees(*ref, version)) {
        addCatalogDamage(fmt::format("does not agree with {}", path.string()));
      }
    }
  }

  /// The packs that were never here, and the contents that cannot be rebuilt without them.
  Result<void> findAbsent() {
    for (auto at = awaiting_.begin(); at != awaiting_.end();) {
      const VersionRef& ref = at->second;
      STRATA_TRY(const std::vector<Digest> absent, strata::absentPacks(store_, ref));
      STRATA_TRY(const bool isElsewhere, isHereWhole(ref.contentDigest));
      if (!isElsewhere) absentContents_.emplace(ref.contentDigest, pullCommand(*ref.awaited));
      // Those whose packs came by now can lose them.
      at = absent.empty() ? awaiting_.erase(at) : std::next(at);
    }
    for (auto at = objects_.begin(); at != objects_.end();) {
      const Checked& checked = at->second;
      const bool isAwaited =
          !checked.object.isManifest && !store_.objects().byteCount(at->first) &&
          std::all_of(checked.versions.begin(), checked.versions.end(),
                      [&](const std::string& label) { return awaiting_.contains(label); });
      if (isAwaited) report_.absentPacks.insert(at->first);
      at = isAwaited ? objects_.erase(at) : std::next(at);
    }
    report_.objectCount = objects_.size();
    return {};
  }

  /// Whether some version has all objects of a content.
  Result<bool> isHereWhole(const Digest& content) const {
    STRATA_TRY(const std::vector<Digest> manifests, store_.catalog().manifestsWithContent(content));
    for (const Digest& manifest : manifests) {
      STRATA_TRY(const auto objects, store_.catalog().objectsOf(manifest));
      const bool isWhole =
          std::all_of(objects.begin(), objects.end(), [&](const CatalogObject& object) {
            return store_.objects().byteCount(object.digest).has_value();
          });
      if (isWhole) return true;
    }
    return false;
  }

  /// What brings the packs without which a version cannot be rebuilt; null if all were here.
  const std::string* pullOf(const VersionEntry& version) const {
    for (const VersionEntry* one : lineage_.lineOf(version)) {
      const auto found = absentContents_.find(one->contentDigest);
      if (found != absentContents_.end()) return &found->second;
    }
    return nullptr;
  }

  void countVersions() {
    for (const VersionEntry& version : versions_) {
      const std::string* const command = pullOf(version);
      if (command != nullptr && !damaged_.contains(version.label())) {
        report_.absentVersions.push_back({version.label(), *command});
      } else {
        ++(version.isBase() ? report_.baseCount : report_.versionCount);
      }
    }
    std::sort(report_.absentVersions.begin(), report_.absentVersions.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
  }

  /// A store that cannot be written to is verified all the same. A catalog that is damaged itself
  /// is left as it is.
  void keepDates() {
    if (options_.level == Level::Quick) return;
    for (const Damage& damage : report_.damages) {
      if (damage.kind == Damage::Kind::Catalog) return;
    }
    std::vector<Digest> sound;
    std::vector<Digest> damaged;
    for (const VersionEntry& version : versions_) {
      if (damaged_.contains(version.label())) {
        damaged.push_back(version.manifestDigest);
      } else if (pullOf(version) == nullptr) {
        sound.push_back(version.manifestDigest);
      }
    }
    const Result<void> kept = noteChecks(store_.folder(), {sound, damaged}, currentTime());
    if (!kept) report_.notKept = kept.error();
  }

  static bool agrees(const VersionRef& ref, const VersionEntry& version) {
    return ref.contentDigest == version.contentDigest &&
           ref.manifestDigest == version.manifestDigest && ref.note == version.note &&
           ref.license == version.license && ref.sourceUrl == version.sourceUrl &&
           ref.addedAt == version.addedAt && ref.removedAt == version.removedAt &&
           ref.storedBytes == version.storedBytes;
  }

  void addCatalogDamage(std::string reason) {
    report_.damages.push_back({.kind = Damage::Kind::Catalog,
                               .digest = {},
                               .path = store_.folder() / "catalog.sqlite",
                               .byteCount = 0,
                               .reason = std::move(reason),
                               .versions = {}});
  }

  void addRefDamage(std::filesystem::path path, std::string reason,
                    std::vector<std::string> versions) {
    report_.damages.push_back({.kind = Damage::Kind::Ref,
                               .digest = {},
                               .path = std::move(path),
                               .byteCount = 0,
                               .reason = std::move(reason),
                               .versions = std::move(versions)});
  }

  Result<void> checkObjects(const std::stop_token& stop, const ProgressSink& progress) {
    std::uint64_t totalBytes = 0;
    std::vector<Checked*> list;
    for (auto& [digest, checked] : objects_) {
      list.push_back(&checked);
      totalBytes += checked.object.byteCount;
    }
    ProgressMeter meter(progress, "verifying", totalBytes);
    STRATA_TRY(parallelFor(list.size(), [&](std::size_t i) -> Result<void> {
      STRATA_TRY(list[i]->problem, problemOf(list[i]->object, stop, meter));
      return {};
    }));
    for (const VersionEntry& version : versions_) checkManifest(version);
    for (const Checked* checked : list) {
      if (!checked->problem.empty()) addObjectDamage(*checked);
    }
    return {};
  }

  /// Empty for a sound object.
  Result<std::string> problemOf(const CatalogObject& object, const std::stop_token& stop,
                                ProgressMeter& meter) {
    const ObjectCheck check =
        options_.level == Level::Quick ? ObjectCheck::Size : ObjectCheck::Hash;
    const std::string item = shortHex(object.digest);
    return objectProblem(store_.objects(), object, check, stop, [&](std::uint64_t bytes) {
      meter.add(bytes, item);
      checkedBytes_ += bytes;
    });
  }

  void checkManifest(const VersionEntry& version) {
    const auto found = objects_.find(version.manifestDigest);
    if (found == objects_.end()) {
      addCatalogDamage(version.label() + ": its manifest is not listed");
      return;
    }
    if (!found->second.problem.empty()) return;
    const auto manifest = readManifest(store_, version.manifestDigest, version.contentDigest);
    if (!manifest) {
      found->second.problem = manifest.error().message;
      return;
    }
    for (const Digest& pack : packsOf(*manifest)) {
      if (objects_.contains(pack) || report_.absentPacks.contains(pack)) continue;
      addCatalogDamage(fmt::format("{}: pack {} is not listed", version.label(), shortHex(pack)));
    }
  }

  void addObjectDamage(const Checked& checked) {
    std::set<std::string> labels;
    for (const VersionEntry& version : versions_) {
      if (checked.versions.contains(version.label())) labels.merge(dependingOn(version));
    }
    report_.damages.push_back(
        {.kind = checked.object.isManifest ? Damage::Kind::ManifestObject : Damage::Kind::Pack,
         .digest = checked.object.digest,
         .path = store_.objects().pathOf(checked.object.digest),
         .byteCount = checked.object.byteCount,
         .reason = checked.problem,
         .versions = {labels.begin(), labels.end()}});
  }

  /// Decodes every content once and compares its files with their SHA-256.
  Result<void> rebuildAll(const std::stop_token& stop, const ProgressSink& progress) {
    std::map<Digest, const VersionEntry*> contents;
    std::uint64_t totalBytes = 0;
    for (const VersionEntry& version : versions_) {
      if (pullOf(version) != nullptr) continue;
      if (contents.emplace(version.contentDigest, &version).second) {
        totalBytes += version.originalBytes;
      }
    }
    STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(options_.device, totalBytes));
    ProgressMeter meter(progress, "rebuilding", totalBytes);
    for (const auto& [digest, version] : contents) {
      const Result<void> rebuilt = rebuild(digest, stop, meter, decoder);
      if (rebuilt) continue;
      const ErrorCode code = rebuilt.error().code;
      const bool isOurs = code == ErrorCode::Cancelled || code == ErrorCode::LimitExceeded ||
                          code == ErrorCode::Device;
      if (isOurs) return rebuilt;
      const std::set<std::string> labels = dependingOn(*version);
      report_.damages.push_back({.kind = Damage::Kind::Version,
                                 .digest = digest,
                                 .path = store_.objects().pathOf(version->manifestDigest),
                                 .byteCount = version->originalBytes,
                                 .reason = rebuilt.error().message,
                                 .versions = {labels.begin(), labels.end()}});
    }
    return {};
  }

  Result<void> rebuild(const Digest& content, const std::stop_token& stop, ProgressMeter& meter,
                       PieceDecoder& decoder) {
    STRATA_TRY(const auto reader, openVersion(store_, content));
    NullSink sink;
    for (int i = 0; i < reader->manifest().files_size(); ++i) {
      STRATA_TRY(
          streamFile(*reader, static_cast<std::size_t>(i), sink, true, stop, meter, decoder));
    }
    return {};
  }

  const Store& store_;
  const VerifyOptions& options_;
  Lineage lineage_;
  std::vector<VersionEntry> versions_;
  std::map<Digest, Checked> objects_;
  std::map<std::string, VersionRef> awaiting_;    ///< by label: pulled without packs
  std::map<Digest, std::string> absentContents_;  ///< and the commands that bring them
  std::set<std::string> damaged_;
  std::atomic<std::uint64_t> checkedBytes_ = 0;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verifyStore(const Store& store, const VerifyOptions& options,
                                 std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(VerifyReport report, Verification(store, options).run(stop, progress));
  report.seconds = watch.seconds();
  return report;
}

std::string_view name(Damage::Kind kind) noexcept {
  switch (kind) {
    case Damage::Kind::Pack:
      return "pack";
    case Damage::Kind::ManifestObject:
      return "manifest";
    case Damage::Kind::Ref:
      return "ref";
    case Damage::Kind::Catalog:
      return "catalog";
    case Damage::Kind::Version:
      return "version";
  }
  return "object";
}

}  // namespace strata
