#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/progress.h"
#include "core/store/asked_remotes.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/parity/parity_rebuild.h"
#include "core/store/refs/ref_renumber.h"
#include "core/store/refs/take_back.h"
#include "core/store/store.h"
#include "core/store/store_lock.h"

namespace strata {

class HeldObjects;

/// A version that comes from another store.
struct Adoption {
  VersionRef ref;
  ManifestSummary manifest;
  /// With notes and dates; name and number are filled in. A version that no name leads to there has
  /// none here either.
  std::vector<TagRef> tags;
};

/// The write lock of a store and what may be done under it. Objects that were taken but are not
/// part of a version when the writer goes away are deleted, unless a pull counts on them by then.
///
/// Each change is done and durable when its function returns, or not done if it returns an error.
/// Refs and catalog are changed in an order in which every step before the last that counts can be
/// taken back without space on the disk. Killed in between, the next writer settles it
/// (core/store/catalog/catalog_sync.h), and so it does with what remains to be tidied up after that
/// step.
///
/// Whatever gives versions manifests fails with CorruptData, and changes nothing, if one of them
/// would be rebuilt through itself alone then.
class StoreWriter final {
 public:
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  const Store& store() const noexcept { return store_; }
  /// Before something is deleted. Fails with StoreLocked if the lock is no longer this writer's.
  Result<void> checkLock() const { return lock_.check(); }
  /// What this writer does from now on is part of one command: the log of operations has one entry
  /// for all that has the same token (makeCommandToken). Empty: each change has its own.
  void beginCommand(std::string token) { command_ = std::move(token); }
  /// The catalog as this writer sees it.
  const Catalog& catalog() const noexcept { return *catalog_; }
  /// The version that `reference` means, as the catalog and the refs say together. Fails as
  /// resolveIn, and with CorruptData if they do not agree.
  Result<VersionEntry> resolve(std::string_view reference, Place place = Place::Live) const;

  /// Moves staged objects to their places. They are deleted with the writer unless a version needs
  /// them by then. Fails with NoSpace or Io.
  Result<void> take(const StagedObjects& staged);

  /// Makes a version of objects that are in the store, as the next number of its name, and puts
  /// tags on it, from wherever they were. Fills in number and date. Version and tags are one
  /// change: its ref carries the tags until they have files of their own.
  Result<VersionEntry> addVersion(VersionRef ref, const ManifestSummary& manifest,
                                  const std::vector<std::string>& tags);

  /// As addVersion for one that another store numbered and dated: keeps the number if no version
  /// has it here, the trash's included, and no remote gave it to another content; else takes the
  /// next one.
  Result<VersionEntry> adoptVersion(Adoption one);
  /// The same for a model here whose ref was lost: also under a number that tags still name.
  Result<VersionEntry> recoverVersion(Adoption one);
  /// Whether the number is free here and was never given: adoptVersions takes such ones.
  Result<bool> hasNewNumber(const VersionRef& ref) const;
  /// The same for many at once, all or none, with a few syncs in all. Parents come first.
  Result<std::vector<VersionEntry>> adoptVersions(std::vector<Adoption> versions);

  /// Versions of one content, live or in the trash, and the manifest of it that they are to rest
  /// on.
  struct Replacement {
    std::vector<VersionRef> refs;
    ManifestSummary manifest;
  };
  /// What becomes of objects that only the manifests needed that versions rested on before.
  enum class Former { Deleted, Kept };
  /// Makes versions rest on manifests that are in the store, all of them or none. Their refs are
  /// written, and they are listed, whether they were or not. They await packs no more if all are
  /// here. Each keeps the permission bits that its former manifest has, if that can be read: where
  /// they are others, it rests on a copy of the manifest with them. `purpose` is what
  /// errors and the log call it: "repair".
  Result<void> replaceManifests(std::string_view purpose, std::vector<Replacement> all,
                                Former former = Former::Deleted);

  /// Settles what writers that died left behind, and writes refs and notes of names anew that are
  /// missing or damaged, from what the catalog remembers.
  Result<SyncReport> rescueRefs();

  /// Gives refs and tags that are damaged, and that the catalog does not list, file names that the
  /// store does not use; returns them. Until then each of them is damage, and nothing can be
  /// deleted.
  Result<std::vector<std::filesystem::path>> setUnreadableAside();

  /// To the trash, together with their tags, all or none. Differences to them restore as before.
  /// `kind` is what the log of operations calls it: "remove", "prune".
  Result<void> trashVersions(const std::vector<VersionEntry>& versions, std::string_view kind);
  /// Makes a version of objects that are in the store, and moves the one whose place it takes to
  /// the trash, as one change. The new one has the next number of the name. Tags, note, license,
  /// source and date go over to it; `ref` has the rest. Fails with CorruptData where a tag of the
  /// former one cannot be read.
  Result<VersionEntry> replaceVersion(const VersionEntry& former, VersionRef ref,
                                      const ManifestSummary& manifest, std::string_view kind);
  /// Out of it, all or none, parents first; returns the tags, as NAME:TAG, that other versions have
  /// by now. `tags`: put with the change, beside those that the versions had. `kind` is what the
  /// log of operations calls it.
  Result<std::vector<std::string>> untrashVersions(const std::vector<VersionEntry>& versions,
                                                   const std::vector<TagRef>& tags = {},
                                                   std::string_view kind = "trash restore");
  /// Deletes versions of the trash for good, then the objects that nothing else needs and no pull
  /// holds (core/store/objects/object_hold.h); returns those. With the last version of a content,
  /// all manifests of it go that no ref names (NeededObjects::former). `unlisted`, also of the
  /// trash, lose their names and tags alone: others are differences to them. Killed in between, the
  /// next writer goes on. `kind` is what the log of operations calls it. Fails with what
  /// NeededObjects::collect fails with, before anything is changed.
  Result<std::vector<CatalogObject>> eraseTrashed(std::string_view kind,
                                                  const std::vector<VersionEntry>& versions,
                                                  const std::vector<VersionEntry>& unlisted = {});

  /// Gives all versions of `name`, the trash's too, and their tags the name `to`, which has none.
  /// Numbers, dates and notes stay. Fails with CorruptData, changing nothing, if a ref cannot be
  /// read.
  Result<void> renameVersions(const std::string& name, const std::string& to) {
    return renameVersions(name, to, makeOperation("rename", name + " to " + to));
  }
  Result<void> renameVersions(const std::string& name, const std::string& to, Operation operation);

  /// A version that gets another number of its name.
  struct Renumbering {
    NumberStep step;
    /// What may have the number that it leaves; nothing: only a version of its own content.
    std::optional<Digest> next = {};
  };
  /// Gives versions other numbers, with all their tags: all or none. Each new one has to be one
  /// that mayTake() allows. Fails as planRenumbering.
  Result<void> renumberVersions(const std::vector<Renumbering>& all);
  /// Whether a version of this content may get the number: no version has or had it here, also none
  /// that lost its ref, and no remote gave it to another content.
  Result<bool> mayTake(const NumberStep& step) const;

  /// Deletes objects, once the parity of others no longer stands on them, and adds those that went
  /// to `removed`. One stays whose parity is needed to bring back another. Fails with Cancelled,
  /// StoreLocked, Io.
  Result<void> removeObjects(const std::vector<Digest>& objects, const std::stop_token& stop,
                             std::set<Digest>& removed);
  /// Forms groups of parity anew as the setting says (ParityGrouping::computeAnew). `isNeeded`: of
  /// objects that are not here. Fails with Cancelled, StoreLocked, NoSpace, Io; then the store says
  /// that objects lack protection (ParityFolder::behind).
  Result<void> computeParityAnew(const std::function<bool(const Digest&)>& isNeeded,
                                 const std::stop_token& stop, const ProgressSink& progress = {});
  /// Brings back what is lost, and parity (rebuildByParity). Fails as that.
  Result<ParityRebuilt> rebuildLost(const std::set<Digest>& lost);

  /// Makes of versions and tags what planReversal found, all of it or nothing
  /// (core/store/refs/reversal.h). `operation` stands in the log: what it takes back or does again,
  /// and its steps.
  Result<void> revert(const Operation& operation, const RefChange& planned);

  /// Gives versions the note, license and source of `refs`, which are else as they were, and puts
  /// or moves tags: all or none. `kind` is what the log of operations calls it.
  Result<void> annotate(std::string_view kind, const std::vector<VersionRef>& refs,
                        const std::vector<TagRef>& tags);
  /// Puts or moves tags, all or none.
  Result<void> putTags(const std::vector<TagRef>& tags, std::string_view kind = "tag");
  Result<void> eraseTag(const TagRef& tag);

 private:
  friend class Store;
  StoreWriter(const Store& store, StoreLock lock, std::unique_ptr<Catalog> catalog);
  Result<std::uint32_t> nextNumber(const VersionRef& ref) const;
  void removeUnowned();
  /// Protects what was written, as the setting says. Where that fails, the store says so.
  void keepParity();
  void noteBehind(const Error& error);
  /// Deletes those of `objects` that no version needs and no pull holds. While the store is damaged
  /// they stay, and gc gets them later.
  /// `contents`: of versions that were deleted for good (NeededObjects::former).
  Result<void> removeUnneeded(const std::vector<Digest>& objects,
                              const std::set<Digest>& contents = {});
  /// What a writer that died was deleting for good, goes.
  Result<void> finishDeletions();
  Result<void> setTagsAside(std::vector<std::filesystem::path>& places);
  Result<void> checkRemoved(const std::vector<VersionEntry>& versions) const;
  Result<void> eraseRefs(std::string_view kind, std::vector<VersionEntry> versions,
                         const RefChange& unlisted, TakeBack& undo);
  Result<void> record(Operation operation, const std::function<Result<void>()>& change);
  /// Runs `begin`, which is taken back if it fails, then `finish`, which is left to the next writer
  /// if it fails.
  Result<void> change(const std::function<Result<void>(TakeBack&)>& begin,
                      const std::function<Result<void>()>& finish);
  /// Several refs, and the catalog with them, all or none (core/store/refs/ref_change.h).
  /// `afterwards` may be left out.
  Result<void> changeRefs(std::string_view kind, std::string_view detail, const RefChange& all,
                          const std::function<Result<void>()>& inCatalog,
                          const std::function<Result<void>()>& afterwards = {});
  /// The same with what the log says of it.
  Result<void> changeRefs(Operation operation, RefChange all,
                          const std::function<Result<void>()>& inCatalog,
                          const std::function<Result<void>()>& afterwards = {});
  Result<void> putInCatalog(const RefChange& all);
  /// Before versions leave their numbers: none of these is ever given to another content, but for
  /// what is noted already.
  Result<void> keepLeftNumbers(const RefChange& all);
  /// Those of `refs` that are new or come to rest on another manifest, as the catalog is now.
  Result<std::vector<VersionRef>> codedAnew(const std::vector<VersionRef>& refs) const;
  /// Once the catalog has the versions, before a ref is touched. Fails with CorruptData if one of
  /// them would be rebuilt through itself alone.
  Result<void> checkLineages(const std::vector<VersionRef>& refs) const;
  /// The same, with a manifest of its own for refs with other permission bits.
  Result<std::vector<Replacement>> keepModes(Replacement one);
  /// Makes refs rest on their new manifest; returns the objects of those that they named.
  Result<std::vector<Digest>> rest(Replacement& one) const;
  Result<std::uint32_t> numberFor(const VersionRef& ref) const;
  /// By what was known of remotes when this was first asked.
  Result<bool> remotesAllow(const VersionRef& ref) const;
  /// Whether a tag names a version of this number that had no ref, and was not listed, when this
  /// was first asked of the name: the tag does not tell which model it was.
  Result<bool> isTagged(const std::string& name, std::uint32_t number) const;
  Result<VersionEntry> putVersion(std::string_view kind, const Adoption& one);
  /// Right before a ref that needs them is written. Fails with CorruptData, naming the first of
  /// `objects` that is gone.
  Result<void> checkHere(const std::string& label, const std::vector<Digest>& objects) const;
  /// Deletes those of `objects` that no pull holds, and adds them to `removed`.
  Result<void> removeUnheld(const std::vector<Digest>& objects, const HeldObjects& held,
                            std::set<Digest>& removed);

  const Store& store_;
  StoreLock lock_;
  std::unique_ptr<Catalog> catalog_;
  mutable std::map<std::string, std::set<std::uint32_t>> lostNumbers_;  ///< see isTagged
  mutable std::optional<AskedRemotes> asked_;                           ///< see remotesAllow
  std::vector<Digest> unowned_;  ///< taken, of no version so far
  std::vector<Digest> written_;  ///< taken, and not in the store before
  bool isParityOpen_ = false;    ///< objects may lack parity that are not among these
  bool isParityLeft_ = false;    ///< to the next writer
  std::string command_;          ///< token of the command that this is part of
};

/// The number of the next version of a name, of this content: none that the name has or had here,
/// and none that a remote gave to another content (core/store/asked_remotes.h). Fails with
/// LimitExceeded where none is left, and with what reading the refs or asked.json fails with.
Result<std::uint32_t> nextNumberOf(const Store& store, const Catalog& catalog,
                                   std::string_view name, const Digest& content);

/// Seconds since 1970, UTC.
std::int64_t currentTime();

inline constexpr std::int64_t kSecondsOfDay = 86'400;

}  // namespace strata
