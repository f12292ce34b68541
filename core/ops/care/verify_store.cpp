#include "core/ops/care/verify_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <set>

#include "core/ops/care/detail/absent_contents.h"
#include "core/ops/care/detail/damage_keys.h"
#include "core/ops/care/detail/lost_again.h"
#include "core/ops/care/detail/mending_order.h"
#include "core/ops/care/detail/pending_change.h"
#include "core/ops/care/detail/protection.h"
#include "core/ops/care/detail/ref_comparison.h"
#include "core/ops/care/detail/undecodable_contents.h"
#include "core/ops/care/detail/verified_versions.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/exchange/kept_damage.h"
#include "core/parallel.h"
#include "core/progress_meter.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/object_check.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_lock.h"
#include "core/store/store_survey.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Level = VerifyOptions::Level;

/// An object and who cannot do without it.
struct Checked {
  CatalogObject object;
  std::set<std::string> versions;  ///< labels
  ObjectFinding finding;
};

class Verification {
 public:
  Verification(const Store& store, const VerifyOptions& options, bool isUnfinished)
      : store_(store), options_(options), isUnfinished_(isUnfinished) {}

  Result<VerifyReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(lineage_, Lineage::load(store_.catalog()));
    STRATA_TRY(versions_, VerifiedVersions::load(store_, lineage_, options_.references));
    STRATA_TRY(pending_, PendingChange::read(store_, versions_.all()));
    if (pending_.damage() && options_.references.empty()) addChangeDamage(*pending_.damage());
    STRATA_TRY(collectObjects());
    STRATA_TRY(checkCatalog());
    checkFolder();
    StoreSurvey survey;
    if (options_.references.empty()) {
      std::ranges::move(keptDamages(store_.folder()), std::back_inserter(report_.damages));
      STRATA_TRY(survey, surveyStore(store_.folder(), store_.objects()));
    }
    STRATA_TRY(checkRefs());
    STRATA_TRY(findLostAgain());
    if (survey.misplaced.empty()) STRATA_TRY(checkParents(stop));
    STRATA_TRY(findAbsent());
    STRATA_TRY(checkObjects(stop, progress));
    if (options_.level == Level::Rebuild) STRATA_TRY(rebuildAll(stop, progress));
    addMisplaced(survey);
    STRATA_TRY(checkProtection(store_, options_, isUnfinished_, stop, report_));
    for (const Damage& damage : report_.damages) {
      for (const std::string& label : damage.versions) damaged_.insert(label);
    }
    countVersions();
    report_.checkedBytes = checkedBytes_;
    report_.damagedVersions.assign(damaged_.begin(), damaged_.end());
    findTrashed();
    report_.toAdd = mending_.sorted(store_, lineage_);
    for (MendingModel& model : report_.toAdd) {
      if (damaged_.contains(model.trashed)) model.trashed.clear();
    }
    return std::move(report_);
  }

  /// Notes when versions were found sound. A store that cannot be written to is verified all the
  /// same. A catalog that is damaged itself is left as it is.
  void keepDates(VerifyReport& report) const {
    if (options_.level == Level::Quick) return;
    for (const Damage& damage : report.damages) {
      if (damage.kind == Damage::Kind::Catalog) return;
    }
    const std::set<std::string> labels(report.damagedVersions.begin(),
                                       report.damagedVersions.end());
    std::vector<Digest> sound;
    std::vector<Digest> damaged;
    for (const VersionEntry& version : versions_.all()) {
      if (labels.contains(version.label())) {
        damaged.push_back(version.manifestDigest);
      } else if (pullOf(version) == nullptr && !pending_.mends(version, lineage_)) {
        sound.push_back(version.manifestDigest);
      }
    }
    const auto known = damagedObjects(store_.folder());
    std::vector<Digest> damagedNow;
    std::vector<Digest> mended;
    for (const auto& [digest, checked] : objects_) {
      if (!checked.finding.problem.empty()) {
        damagedNow.push_back(digest);
      } else if (known && known->contains(digest)) {
        mended.push_back(digest);
      }
    }
    const Result<void> kept =
        noteChecks(store_.folder(), {sound, damaged, damagedNow, mended}, currentTime());
    if (!kept) report.notKept = kept.error();
  }

  /// Models that no version names. A parent that lost its name is among the damages.
  Result<void> findUnnamed(const std::stop_token& stop, VerifyReport& report) const {
    if (!options_.references.empty()) return {};
    auto models = unnamedModels(store_, stop);
    // A folder of objects that is a link is among the damages.
    if (!models && models.error().code == ErrorCode::CorruptData) return {};
    if (!models) return fail(std::move(models).error());
    for (UnnamedModel& model : *models) {
      const bool isDamage = std::ranges::any_of(
          report.damages, [&](const Damage& one) { return one.digest == model.contentDigest; });
      if (!isDamage) report.unnamed.push_back(std::move(model));
    }
    return {};
  }

 private:
  /// Those that cannot be rebuilt once `manifest` cannot be opened. A reader then goes on to
  /// another one of the content: docs/FORMAT.md, "Finding a parent".
  std::set<std::string> hitBy(const Digest& content, const Digest& manifest) const {
    const auto all = store_.catalog().manifestsWithContent(content);
    const auto opens = [&](const Digest& one) {
      return openVersionOf(store_, one, content).has_value();
    };
    const bool isElsewhere =
        all && std::any_of(all->begin(), all->end(), [&](const Digest& other) {
          return other != manifest && isSoundSoFar(other) && opens(other) && !opens(manifest);
        });
    return isElsewhere ? std::set<std::string>() : versions_.dependingOn(content);
  }

  bool isSoundSoFar(const Digest& manifest) const {
    const auto objects = store_.catalog().objectsOf(manifest);
    return objects &&
           std::all_of(objects->begin(), objects->end(), [&](const CatalogObject& object) {
             const auto checked = objects_.find(object.digest);
             return checked == objects_.end() || checked->second.finding.problem.empty();
           });
  }

  Result<void> collectObjects() {
    for (const VersionEntry& version : versions_.all()) {
      if (pending_.mends(version)) continue;
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
    if (!problems) addCatalogDamage(problems.error().message);
    if (!problems) return {};
    for (const std::string& problem : *problems) addCatalogDamage(problem);
    return {};
  }

  /// Without it all objects are missing, each of which is damage of its own.
  void checkFolder() {
    const fs::path objects = store_.folder() / "objects";
    std::error_code status;
    if (versions_.all().empty() || fs::exists(objects, status) || status) return;
    report_.damages.push_back(
        {.kind = Damage::Kind::Folder, .path = objects, .reason = "is missing"});
  }

  Result<void> checkRefs() {
    const bool isWhole = options_.references.empty();
    STRATA_TRY(RefComparison found,
               compareRefs(store_, versions_.all(), isWhole, isUnfinished_, pending_.change()));
    std::move(found.damages.begin(), found.damages.end(), std::back_inserter(report_.damages));
    for (const LostManifest& lost : found.lostManifests) addLost(lost);
    report_.unfinished = std::move(found.unfinished);
    for (VersionRef& ref : found.awaiting) awaiting_.emplace(ref.label(), std::move(ref));
    // Refs that the next writer puts in place say so as well.
    for (const VersionRef& ref : pending_.change().versions) {
      if (ref.awaited) awaiting_.emplace(ref.label(), ref);
    }
    return {};
  }

  /// Versions whose contents others have, too, and that a repair brings back.
  Result<void> findLostAgain() {
    if (!options_.references.empty() || isUnfinished_) return {};
    STRATA_TRY(std::vector<Damage> lost, damagesOfLost(store_));
    std::erase_if(lost, [&](const Damage& one) {
      return std::ranges::any_of(report_.damages,
                                 [&](const Damage& said) { return said.path == one.path; });
    });
    std::ranges::move(lost, std::back_inserter(report_.damages));
    return {};
  }

  /// What is a difference to it cannot be restored either, but through another manifest.
  void addLost(const LostManifest& lost) {
    std::set<std::string> labels = hitBy(lost.ref.contentDigest, lost.ref.manifestDigest);
    labels.insert(lost.ref.label());
    if (lost.ref.place() == Place::Trash) report_.damagedInTrash.push_back(lost.ref.label());
    lostContents_.insert(lost.ref.contentDigest);
    // Its depth is not known; what is a difference to it is deeper than a base.
    mending_.add({lost.ref.label(), lost.ref.contentDigest}, 0);
    report_.damages.push_back({.kind = Damage::Kind::ManifestObject,
                               .digest = lost.ref.manifestDigest,
                               .path = store_.objects().pathOf(lost.ref.manifestDigest),
                               .reason = lost.reason,
                               .versions = {labels.begin(), labels.end()}});
  }

  void findTrashed() {
    for (const VersionEntry& version : versions_.all()) {
      if (version.place() != Place::Trash || !damaged_.contains(version.label())) continue;
      auto& labels = version.isUnlisted ? report_.damagedUnlisted : report_.damagedInTrash;
      labels.push_back(version.label());
    }
    std::ranges::sort(report_.damagedInTrash);
    std::ranges::sort(report_.damagedUnlisted);
  }

  void addMisplaced(const StoreSurvey& survey) {
    report_.foreign = survey.foreign;
    report_.setAside = survey.setAside;
    nameMisplaced(survey, report_.damages, report_.foreign);
  }

  Result<void> checkParents(const std::stop_token& stop) {
    STRATA_TRY(std::vector<Damage> found, missingParents(store_, versions_.all(), stop));
    for (Damage& damage : found) {
      if (lostContents_.contains(damage.digest)) continue;
      if (damage.path.empty()) mending_.add({{}, damage.digest}, 0);
      const std::set<std::string> labels = versions_.dependingOn(damage.digest);
      damage.versions.assign(labels.begin(), labels.end());
      report_.damages.push_back(std::move(damage));
    }
    return {};
  }

  /// The packs that were never here, and the contents that cannot be rebuilt without them.
  Result<void> findAbsent() {
    STRATA_TRY(absent_, AbsentContents::find(store_, awaiting_));
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

  /// What brings the packs without which a version cannot be rebuilt; null if all were here.
  const std::string* pullOf(const VersionEntry& version) const {
    return absent_.pullOf(version, lineage_);
  }

  void countVersions() {
    for (const VersionEntry& version : versions_.all()) {
      const std::string* const command = pullOf(version);
      if (command != nullptr && !damaged_.contains(version.label())) {
        report_.absentVersions.push_back({version.label(), *command});
      } else {
        ++(version.isBase() ? report_.baseCount : report_.versionCount);
      }
    }
    std::ranges::sort(report_.absentVersions, {}, &AbsentVersion::label);
  }

  void addChangeDamage(const Error& error) {
    report_.damages.push_back(
        {.kind = Damage::Kind::Ref, .path = store_.refs().changePath(), .reason = error.message});
  }

  void addCatalogDamage(std::string reason) {
    report_.damages.push_back({.kind = Damage::Kind::Catalog,
                               .path = store_.folder() / "catalog.sqlite",
                               .reason = std::move(reason)});
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
      return checkObject(*list[i], stop, meter);
    }));
    for (const VersionEntry& version : versions_.all()) {
      if (!pending_.mends(version)) checkManifest(version);
    }
    for (const Checked* checked : list) {
      if (!checked->finding.problem.empty()) addObjectDamage(*checked);
      if (checked->finding.otherBytes == 0) continue;
      addCatalogDamage(fmt::format("lists object {} with {} bytes, it has {}",
                                   shortHex(checked->object.digest), checked->object.byteCount,
                                   checked->finding.otherBytes));
    }
    return {};
  }

  Result<void> checkObject(Checked& checked, const std::stop_token& stop, ProgressMeter& meter) {
    const ObjectCheck check =
        options_.level == Level::Quick ? ObjectCheck::Size : ObjectCheck::Hash;
    const std::string item = shortHex(checked.object.digest);
    STRATA_TRY(checked.finding,
               checkListed(store_.objects(), checked.object, check, stop, [&](std::uint64_t bytes) {
                 meter.add(bytes, item);
                 checkedBytes_ += bytes;
               }));
    return {};
  }

  void checkManifest(const VersionEntry& version) {
    const auto found = objects_.find(version.manifestDigest);
    if (found == objects_.end()) {
      addCatalogDamage(version.label() + ": its manifest is not listed");
      return;
    }
    if (!found->second.finding.problem.empty()) return;
    const auto manifest = readManifest(store_, version.manifestDigest, version.contentDigest);
    if (!manifest) {
      found->second.finding.problem = manifest.error().message;
      return;
    }
    const auto parent = manifest->parentDigest;
    if (parent != version.parentDigest || originalBytes(*manifest) != version.originalBytes) {
      addCatalogDamage(version.label() + ": does not agree with its manifest");
    }
    for (const Digest& pack : manifest->packs) {
      if (objects_.contains(pack) || report_.absentPacks.contains(pack)) continue;
      addCatalogDamage(fmt::format("{}: pack {} is not listed", version.label(), shortHex(pack)));
    }
  }

  void addObjectDamage(const Checked& checked) {
    std::set<std::string> labels;
    for (const std::string& label : checked.versions) {
      const VersionEntry& version = versions_.at(label);
      mending_.add(version);
      labels.insert(label);
      labels.merge(hitBy(version.contentDigest, version.manifestDigest));
    }
    report_.damages.push_back(
        {.kind = checked.object.isManifest ? Damage::Kind::ManifestObject : Damage::Kind::Pack,
         .digest = checked.object.digest,
         .path = store_.objects().pathOf(checked.object.digest),
         .byteCount = checked.object.byteCount,
         .reason = checked.finding.problem,
         .versions = {labels.begin(), labels.end()}});
  }

  /// Decodes every content once and compares its files with their SHA-256.
  Result<void> rebuildAll(const std::stop_token& stop, const ProgressSink& progress) {
    std::map<Digest, const VersionEntry*> contents;
    for (const VersionEntry& version : versions_.all()) {
      if (pullOf(version) != nullptr || pending_.mends(version, lineage_)) continue;
      contents.emplace(version.contentDigest, &version);
    }
    STRATA_TRY(const auto damaged,
               undecodableContents(store_, contents, options_.device, stop, progress));
    for (const UndecodableContent& one : damaged) {
      mending_.addUndecodable(*one.version);
      const std::set<std::string> labels = versions_.dependingOn(one.version->contentDigest);
      report_.damages.push_back({.kind = Damage::Kind::Version,
                                 .digest = one.version->contentDigest,
                                 .path = store_.objects().pathOf(one.version->manifestDigest),
                                 .byteCount = one.version->originalBytes,
                                 .reason = one.reason,
                                 .versions = {labels.begin(), labels.end()}});
    }
    return {};
  }

  const Store& store_;
  const VerifyOptions& options_;
  const bool isUnfinished_;  ///< a writer is at work or has died
  PendingChange pending_;    ///< that the next writer finishes
  Lineage lineage_;
  VerifiedVersions versions_;
  std::map<Digest, Checked> objects_;
  std::map<std::string, VersionRef> awaiting_;  ///< by label: pulled without packs
  AbsentContents absent_;
  std::set<std::string> damaged_;
  std::set<Digest> lostContents_;  ///< of versions whose manifest is lost, which are not listed
  MendingOrder mending_;
  std::atomic<std::uint64_t> checkedBytes_ = 0;
  VerifyReport report_;
};

/// Catalog, refs and objects are not read at one instant. What a writer changes in between does not
/// agree, but it does at the next look.
Result<VerifyReport> lookUntilSure(const Store& store, const VerifyOptions& options,
                                   const std::stop_token& stop, const ProgressSink& progress) {
  constexpr int kMostLooks = 3;
  const auto lock = [&] { return readLock(store.folder() / "lock"); };
  std::optional<std::set<DamageKey>> seen;
  for (int look = 1;; ++look) {
    const LockState writer = lock();
    STRATA_TRY(const std::int64_t before, store.catalog().dataVersion());
    Verification verification(store, options, writer.isUnfinished());
    STRATA_TRY(VerifyReport report, verification.run(stop, progress));
    if (seen) keepOnly(*seen, report);
    STRATA_TRY(const std::int64_t after, store.catalog().dataVersion());
    const LockState now = lock();
    const bool isQuiet =
        !writer.held && !now.held && before == after && writer.isUnfinished() == now.isUnfinished();
    if (report.sound() || isQuiet || look == kMostLooks) {
      verification.keepDates(report);
      if (!now.held) STRATA_TRY(verification.findUnnamed(stop, report));
      return report;
    }
    seen = keysOf(report.damages);
  }
}

}  // namespace

Result<VerifyReport> verifyStore(const Store& store, const VerifyOptions& options,
                                 std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(VerifyReport report, lookUntilSure(store, options, stop, progress));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
