#include "core/store/store_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "core/store/asked_remotes.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/catalog/number_notes.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/space_reserve.h"

namespace strata {

std::int64_t currentTime() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

namespace {

/// The lock's mark while something is half done. One that was there before, of a change that did
/// not come to its end, stays.
class UnfinishedMark {
 public:
  explicit UnfinishedMark(StoreLock& lock) : lock_(lock), wasThere_(lock.leavesMark()) {
    lock.leaveMark();
  }
  void clear() noexcept {
    if (!wasThere_) lock_.clearMark();
  }

 private:
  StoreLock& lock_;
  bool wasThere_;
};

}  // namespace

StoreWriter::StoreWriter(const Store& store, StoreLock lock, std::unique_ptr<Catalog> catalog)
    : store_(store), lock_(std::move(lock)), catalog_(std::move(catalog)) {}

StoreWriter::~StoreWriter() {
  removeUnowned();
  keepParity();
  fillReserve(store_.folder());
}

void StoreWriter::removeUnowned() {
  // Objects that are in use were in the store before and written once more.
  if (!unowned_.empty() && !removeUnneeded(unowned_)) lock_.leaveMark();
}

Result<VersionEntry> StoreWriter::resolve(std::string_view reference, Place place) const {
  return store_.resolveAgreed(reference, place, false);
}

Result<void> StoreWriter::take(const StagedObjects& staged) {
  for (const StagedObjects::Object& object : staged.all()) {
    unowned_.push_back(object.digest);
    if (!store_.objects().byteCount(object.digest)) written_.push_back(object.digest);
    STRATA_TRY(store_.objects().adopt(object.file, object.digest));
  }
  return {};
}

Result<void> StoreWriter::record(Operation operation, const std::function<Result<void>()>& change) {
  operation.command = command_;
  Result<void> done = catalog_->transact([&]() -> Result<void> {
    STRATA_TRY(change());
    return catalog_->log(operation);
  });
  // The next writer makes the catalog say what the refs say.
  if (!done) lock_.leaveMark();
  return done;
}

Result<void> StoreWriter::change(const std::function<Result<void>(TakeBack&)>& begin,
                                 const std::function<Result<void>()>& finish) {
  STRATA_TRY(lock_.check());
  // What this writer could not finish before comes first.
  if (!isOver(store_.refs())) {
    STRATA_TRY(syncCatalog(*catalog_, store_.refs(), store_.objects(), SyncScope::Differences, {},
                           {}, {}));
  }
  UnfinishedMark mark(lock_);
  TakeBack undo;
  const Result<void> done = begin(undo);
  if (!done) return fail(undo.run(done.error()));
  const Result<void> finished = finish();
  if (finished) mark.clear();
  // The next writer goes on where the disk failed. It cannot where something else has come into the
  // place of a file.
  if (finished || finished.error().code != ErrorCode::CorruptData) return {};
  return fail(ErrorCode::CorruptData, finished.error().message +
                                          "; all else is done, and the next command that writes "
                                          "does the rest once that is moved away");
}

Result<void> StoreWriter::changeRefs(std::string_view kind, std::string_view detail,
                                     const RefChange& all,
                                     const std::function<Result<void>()>& inCatalog,
                                     const std::function<Result<void>()>& afterwards) {
  Operation operation = makeOperation(kind, detail);
  addSteps(operation, store_.refs(), all);
  return changeRefs(operation, all, inCatalog, afterwards);
}

Result<void> StoreWriter::changeRefs(Operation operation, RefChange all,
                                     const std::function<Result<void>()>& inCatalog,
                                     const std::function<Result<void>()>& afterwards) {
  const RefFolder& refs = store_.refs();
  operation.command = command_;
  all.operation = serializeOperation(operation);
  std::optional<RefBatch> files;
  const auto begin = [&](TakeBack& undo) -> Result<void> {
    for (const VersionRef& ref : all.versions) STRATA_TRY(refs.checkMayChange(ref.name));
    for (const TagRef& tag : all.tags) STRATA_TRY(refs.checkMayChange(tag.name));
    for (const TagRef& tag : all.erasedTags) STRATA_TRY(refs.checkMayChange(tag.name));
    STRATA_TRY(keepLeftNumbers(all));
    STRATA_TRY(files, prepareRefs(refs, all));
    undo.add([&] { return refs.eraseChange(); });
    STRATA_TRY(refs.writeChange(all));
    return record(operation, [&]() -> Result<void> {
      STRATA_TRY(const std::vector<VersionRef> anew, codedAnew(all.versions));
      STRATA_TRY(inCatalog());
      return checkLineages(anew);
    });
  };
  return change(begin, [&]() -> Result<void> {
    STRATA_TRY(placeRefs(refs, all, *files));
    return afterwards ? afterwards() : Result<void>();
  });
}

Result<std::uint32_t> StoreWriter::nextNumber(const VersionRef& ref) const {
  return nextNumberOf(store_, *catalog_, ref.name, ref.contentDigest);
}

namespace {

/// The version as the catalog lists it.
VersionEntry listed(const VersionRef& ref, const ManifestSummary& manifest,
                    const std::vector<TagRef>& tags) {
  VersionEntry entry = manifest.entry;
  entry.name = ref.name;
  entry.number = ref.number;
  entry.addedAt = ref.addedAt;
  entry.removedAt = ref.removedAt;
  entry.isUnlisted = ref.isUnlisted;
  entry.note = ref.note;
  entry.license = ref.license;
  entry.sourceUrl = ref.sourceUrl;
  entry.storedBytes = ref.storedBytes;
  for (const TagRef& tag : tags) entry.tags.push_back(tag.tag);
  std::sort(entry.tags.begin(), entry.tags.end());
  return entry;
}

/// One that no name leads to is in the trash and has no tags. The ref carries those that have no
/// files yet.
void settlePlace(Adoption& one) {
  if (one.ref.isUnlisted) {
    one.tags.clear();
  } else {
    one.ref.removedAt = 0;
  }
  for (TagRef& tag : one.tags) {
    tag.name = one.ref.name;
    tag.number = one.ref.number;
  }
  one.ref.tags = one.tags;
}

}  // namespace

Result<VersionEntry> StoreWriter::addVersion(VersionRef ref, const ManifestSummary& manifest,
                                             const std::vector<std::string>& tags) {
  STRATA_TRY(ref.number, nextNumber(ref));
  ref.addedAt = currentTime();
  ref.removedAt = 0;
  std::vector<TagRef> tagRefs;
  tagRefs.reserve(tags.size());
  for (const std::string& tag : tags) tagRefs.push_back({{}, tag, 0, {}, ref.addedAt});
  Adoption one{std::move(ref), manifest, std::move(tagRefs)};
  settlePlace(one);
  return putVersion("add", one);
}

Result<bool> StoreWriter::isTagged(const std::string& name, std::uint32_t number) const {
  const auto [known, isNew] = lostNumbers_.try_emplace(name);
  if (!isNew) return known->second.contains(number);
  STRATA_TRY(const auto tags, store_.refs().tagNames(name));
  std::error_code status;
  for (const std::string& tag : tags) {
    const auto ref = store_.refs().readTag(name, tag);
    if (!ref || std::filesystem::exists(store_.refs().versionPath(name, ref->number), status)) {
      continue;
    }
    STRATA_TRY(const auto listed, catalog_->version(name, ref->number));
    if (!listed) known->second.insert(ref->number);
  }
  return known->second.contains(number);
}

Result<std::uint32_t> StoreWriter::numberFor(const VersionRef& ref) const {
  std::error_code status;
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto path = store_.refs().versionPath(ref.name, ref.number, place);
    if (std::filesystem::exists(path, status)) return nextNumber(ref);
  }
  for (const Place place : {Place::Live, Place::Trash}) {
    // A version whose ref is lost has its number still, unless it is the same model that comes
    // back.
    STRATA_TRY(const auto listed, catalog_->version(ref.name, ref.number, place));
    if (!listed) continue;
    return listed->contentDigest == ref.contentDigest ? ref.number : nextNumber(ref);
  }
  STRATA_TRY(const bool isLost, isTagged(ref.name, ref.number));
  if (isLost) return nextNumber(ref);
  // Of versions that left the name for good, only the same content gets its number back.
  STRATA_TRY(const LastNumber last, store_.refs().readLastNumber(ref.name));
  STRATA_TRY(const bool isAllowed, remotesAllow(ref));
  return isAllowed && last.allows(ref.number, ref.contentDigest) ? ref.number : nextNumber(ref);
}

Result<bool> StoreWriter::remotesAllow(const VersionRef& ref) const {
  if (!asked_) {
    STRATA_TRY(asked_, AskedRemotes::load(store_.folder()));
  }
  return asked_->allows(ref.name, ref.number, ref.contentDigest);
}

Result<VersionEntry> StoreWriter::adoptVersion(Adoption one) {
  isParityOpen_ = true;  // its objects came before the lock
  STRATA_TRY(one.ref.number, numberFor(one.ref));
  settlePlace(one);
  return putVersion("pull", one);
}

Result<VersionEntry> StoreWriter::recoverVersion(Adoption one) {
  STRATA_TRY(const LastNumber last, store_.refs().readLastNumber(one.ref.name));
  if (!last.allows(one.ref.number, one.ref.contentDigest)) {
    STRATA_TRY(one.ref.number, nextNumber(one.ref));
  }
  settlePlace(one);
  return putVersion("add", one);
}

Result<bool> StoreWriter::hasNewNumber(const VersionRef& ref) const {
  STRATA_TRY(const std::uint32_t number, numberFor(ref));
  if (number != ref.number) return false;
  // A change of a number that was given before would count as one that came too late.
  STRATA_TRY(const LastNumber last, store_.refs().readLastNumber(ref.name));
  return ref.number > last.number;
}

Result<std::vector<VersionEntry>> StoreWriter::adoptVersions(std::vector<Adoption> versions) {
  isParityOpen_ = true;
  RefChange all;
  RefChange steps;
  for (Adoption& one : versions) {
    const ManifestSummary& manifest = one.manifest;
    STRATA_TRY(checkHere(one.ref.label(), {manifest.packsHere.begin(), manifest.packsHere.end()}));
    settlePlace(one);
    all.versions.push_back(one.ref);
    steps.tags.insert(steps.tags.end(), one.tags.begin(), one.tags.end());
  }
  steps.versions = all.versions;
  Operation operation = makeOperation("pull", labelsOf(all.versions));
  addSteps(operation, store_.refs(), steps);
  const auto inCatalog = [&]() -> Result<void> {
    for (const Adoption& one : versions) {
      STRATA_TRY(catalog_->putVersion(one.ref, one.manifest));
      for (const TagRef& tag : one.tags) STRATA_TRY(catalog_->putTag(tag));
    }
    return {};
  };
  STRATA_TRY(changeRefs(operation, std::move(all), inCatalog, [&]() -> Result<void> {
    for (const Adoption& one : versions) {
      if (one.ref.place() == Place::Live) STRATA_TRY(giveTags(store_.refs(), one.ref));
    }
    return {};
  }));
  std::vector<VersionEntry> entries;
  for (const Adoption& one : versions) entries.push_back(listed(one.ref, one.manifest, one.tags));
  return entries;
}

Result<VersionEntry> StoreWriter::putVersion(std::string_view kind, const Adoption& one) {
  const VersionRef& ref = one.ref;
  const ManifestSummary& manifest = one.manifest;
  const std::vector<TagRef>& tags = one.tags;
  Operation operation = makeOperation(kind, ref.label());
  addSteps(operation, store_.refs(), {.versions = {ref}, .tags = tags});
  // The objects belong to the version, unless all of it is taken back.
  std::vector<Digest> objects = std::exchange(unowned_, {});
  bool isTakenBack = true;
  const auto done = change(
      [&](TakeBack& undo) -> Result<void> {
        STRATA_TRY(checkHere(ref.label(), objects));
        STRATA_TRY(checkHere(ref.label(), {manifest.packsHere.begin(), manifest.packsHere.end()}));
        STRATA_TRY(checkTargets(store_.refs(), {.versions = {ref}, .tags = tags}));
        const Result<void> written = store_.refs().writeNewVersion(ref);
        const bool isAnothers = !written && written.error().code == ErrorCode::InvalidArgument;
        undo.add([&, isAnothers]() -> Result<void> {
          if (isAnothers) return {};
          Result<void> erased = store_.refs().eraseVersion(ref.name, ref.number, ref.place());
          isTakenBack = erased.has_value();
          return erased;
        });
        STRATA_TRY(written);
        STRATA_TRY(record(operation, [&]() -> Result<void> {
          STRATA_TRY(catalog_->putVersion(ref, manifest));
          for (const TagRef& tag : tags) STRATA_TRY(catalog_->putTag(tag));
          return checkLineages({ref});
        }));
        isTakenBack = false;
        return {};
      },
      [&]() -> Result<void> {
        if (ref.place() == Place::Trash) return {};
        return giveTags(store_.refs(), ref);
      });
  if (!done && isTakenBack) unowned_ = std::move(objects);
  if (!done) return fail(done.error());
  return listed(ref, manifest, tags);
}

Result<void> StoreWriter::checkHere(const std::string& label,
                                    const std::vector<Digest>& objects) const {
  for (const Digest& object : objects) {
    if (store_.objects().byteCount(object)) continue;
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: another program deleted its object {} meanwhile; not done, try "
                            "again",
                            label, toHex(object)));
  }
  return {};
}

Result<SyncReport> StoreWriter::rescueRefs() {
  STRATA_TRY(lock_.check());
  isParityOpen_ = true;
  lock_.leaveMark();
  RememberedRefs remembered = RememberedRefs::of(*catalog_);
  const auto problems = catalog_->integrityProblems();
  remembered.isSound = problems && problems->empty();
  STRATA_TRY(SyncReport report, syncCatalog(*catalog_, store_.refs(), store_.objects(),
                                            SyncScope::Repair, remembered, {}, {}));
  const bool isChanged = lock_.previousOwnerDied() || !report.rescued.empty() ||
                         !report.finished.empty() || !report.setAside.empty();
  if (isChanged) {
    const std::string label = report.rescued.empty() ? std::string() : report.rescued.front();
    STRATA_TRY(record(makeOperation("repair", label), [] { return Result<void>(); }));
  }
  STRATA_TRY(noteAllNumbers(store_.folder() / "catalog.sqlite", store_.refs()));
  STRATA_TRY(finishDeletions());
  lock_.clearMark();
  return report;
}

/// What is remembered of a tag was written anew before; of these no one knows the version.
Result<void> StoreWriter::setTagsAside(std::vector<std::filesystem::path>& places) {
  const RefFolder& refs = store_.refs();
  STRATA_TRY(const std::vector<std::string> names, refs.names());
  for (const std::string& name : names) {
    STRATA_TRY(const std::vector<TagRef> listed, catalog_->tags(name));
    STRATA_TRY(const std::vector<std::string> tags, refs.tagNames(name));
    for (const std::string& tag : tags) {
      const auto ref = refs.readTag(name, tag);
      const bool isListed = std::any_of(listed.begin(), listed.end(),
                                        [&](const TagRef& one) { return one.tag == tag; });
      if (ref || ref.error().code != ErrorCode::CorruptData || isListed) continue;
      STRATA_TRY(lock_.check());
      STRATA_TRY(auto path, refs.setTagAside(name, tag));
      places.push_back(std::move(path));
    }
  }
  return {};
}

Result<std::vector<std::filesystem::path>> StoreWriter::setUnreadableAside() {
  const RefFolder& refs = store_.refs();
  std::vector<std::filesystem::path> places;
  const auto look = [&](const std::string& name, std::uint32_t number,
                        Place place) -> Result<void> {
    const auto ref = refs.readVersion(name, number, place);
    if (ref || ref.error().code != ErrorCode::CorruptData) return {};
    STRATA_TRY(const auto listed, catalog_->version(name, number, place));
    if (listed) return {};
    STRATA_TRY(lock_.check());
    STRATA_TRY(const std::uint32_t last, catalog_->lastNumber(name));
    STRATA_TRY(keepNumbers(refs, name, last, {}));
    STRATA_TRY(auto path, refs.setAside(name, number, place));
    places.push_back(std::move(path));
    return {};
  };
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const RefFolder::Numbers all, refs.versionNumbers(place));
    for (const auto& [name, numbers] : all) {
      for (const std::uint32_t number : numbers) STRATA_TRY(look(name, number, place));
    }
  }
  STRATA_TRY(setTagsAside(places));
  STRATA_TRY(noteAllNumbers(store_.folder() / "catalog.sqlite", refs));
  return places;
}

}  // namespace strata
