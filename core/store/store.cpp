#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "core/io/durable_folder.h"
#include "core/io/free_space.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/number_notes.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/parity/parity_folder.h"
#include "core/store/parity/parity_grouping.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/reference.h"
#include "core/store/space_reserve.h"
#include "core/store/store_location.h"
#include "core/store/store_places.h"
#include "core/store/store_settings.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCatalog = "catalog.sqlite";
constexpr const char* kLock = "lock";
constexpr std::array kFirstFolders{"objects", "refs", "trash", "tmp"};

/// Who died may have come to an object and not to its parity. Where that cannot be done now, it is
/// left to the next writer.
void settleParity(const fs::path& folder, StoreLock& lock) {
  const ParityFolder parity(folder);
  const auto setting = parityOfStore(folder);
  if (!parity.exists() && !(setting && setting->ratio)) return;
  const ObjectFolder objects(folder);
  ParityGrouping grouping(folder, objects, [&lock] { return lock.check(); });
  const Result<void> done = grouping.settle();
  if (!done && lock.check()) parity.setBehind(done.error().message);
}

bool isFull(const fs::path& folder) {
  const auto free = freeBytes(folder);
  return free && *free < kReserveBytes;
}

/// SQLite wants some space for its index of the log. Who reads takes the lock for that moment:
/// while a writer has it, the reserve is the writer's, and so is the index.
Result<std::unique_ptr<Catalog>> openOnFullDisk(const fs::path& folder) {
  const LockWait noWait{.longest = std::chrono::milliseconds(0)};
  auto lock =
      StoreLock::acquire(folder / kLock, "open", noWait, {}, [&] { releaseReserve(folder); });
  if (lock && lock->previousOwnerDied()) lock->leaveMark();
  auto catalog = Catalog::openForReading(folder / kCatalog);
  if (lock) fillReserve(folder);
  return catalog;
}

/// Fills the reserve when it goes out of scope, unless a writer is there to do that.
class ReserveFiller {
 public:
  explicit ReserveFiller(const fs::path& storeFolder) : storeFolder_(storeFolder) {}
  ReserveFiller(const ReserveFiller&) = delete;
  ReserveFiller& operator=(const ReserveFiller&) = delete;
  ~ReserveFiller() {
    if (!isLeft_) fillReserve(storeFolder_);
  }
  void leave() noexcept { isLeft_ = true; }

 private:
  const fs::path& storeFolder_;
  bool isLeft_ = false;
};

/// Whether a folder holds nothing but what an interrupted creation left.
bool isFreeForStore(const fs::path& folder) {
  std::error_code status;
  fs::directory_iterator entry(folder, status);
  for (; !status && entry != fs::directory_iterator(); entry.increment(status)) {
    const std::string name = entry->path().filename().string();
    const bool isOurs =
        std::find(kFirstFolders.begin(), kFirstFolders.end(), name) != kFirstFolders.end() ||
        name.starts_with(kCatalog) || name == kLock;
    if (!isOurs) return false;
  }
  return !status;
}

/// Files of writers that died. Only under the lock.
void removeLeftovers(const fs::path& temporary) {
  std::error_code status;
  std::error_code ignored;
  fs::directory_iterator entry(temporary, status);
  for (; !status && entry != fs::directory_iterator(); entry.increment(status)) {
    if (entry->path().extension() == ".tmp") fs::remove_all(entry->path(), ignored);
  }
}

/// A database's own file and those that SQLite keeps beside it while it is in use.
constexpr std::array kCatalogEnds{"", "-wal", "-shm"};

void removeCatalog(const fs::path& file) {
  std::error_code ignored;
  for (const char* end : kCatalogEnds) fs::remove(file.string() + end, ignored);
}

Error isStoreAlready(const fs::path& folder) {
  return {ErrorCode::InvalidArgument, folder.string() + ": is a store already"};
}

/// Catalog and settings of a new store. Another command may make one of the same folder meanwhile.
Result<void> writeNewStore(const fs::path& folder) {
  // The file stays: one that is missing later was removed.
  STRATA_TRY(const StoreLock lock, StoreLock::acquire(folder / kLock, "init", {}, {}));
  if (Store::isStore(folder)) return fail(isStoreAlready(folder));
  removeCatalog(folder / kCatalog);
  STRATA_TRY(const auto catalog, Catalog::create(folder / kCatalog));
  // The settings make it a store, so they come last.
  STRATA_TRY(writeSettings(folder, newStoreId()));
  fillReserve(folder);
  return {};
}

/// With its companions, so that whoever has it open goes on with what belongs to it. They go first:
/// beside another database they would be taken for its own.
Result<void> moveCatalog(const fs::path& from, const fs::path& to) {
  removeCatalog(to);
  for (auto end = kCatalogEnds.rbegin(); end != kCatalogEnds.rend(); ++end) {
    const fs::path one = from.string() + *end;
    if (::rename(one.c_str(), (to.string() + *end).c_str()) != 0 && errno != ENOENT) {
      return fail(osError(one, "move", errno));
    }
  }
  return syncFolder(to.parent_path());
}

/// Whether the catalog can be read throughout. One of a newer schema cannot: it is damaged, or of a
/// newer program whose store this one reads all the same.
bool isSoundCatalog(const fs::path& file) {
  const auto catalog = Catalog::openForWriting(file);
  if (!catalog) return false;
  const auto problems = (*catalog)->integrityProblems();
  return problems && problems->empty();
}

/// What a catalog still says of versions, whatever state it is in.
RememberedRefs rememberedIn(const fs::path& file) {
  const auto catalog = Catalog::openForReading(file);
  return catalog ? RememberedRefs::of(**catalog) : RememberedRefs{};
}

/// Who follows the catalog goes by its operations.
Result<void> logSync(Catalog& catalog, std::string_view kind, std::string_view detail = {}) {
  return catalog.transact([&] { return catalog.log(makeOperation(kind, detail)); });
}

/// Takes the log of operations over from a damaged catalog. What it says is checked against the
/// store before it is taken back. Whether it could be read.
Result<bool> takeHistory(Catalog& catalog, const fs::path& damaged) {
  const auto before = Catalog::openForReading(damaged);
  const auto operations = before ? (*before)->operations(0) : fail(before.error());
  if (!operations) return false;
  STRATA_TRY(catalog.transact([&]() -> Result<void> {
    for (auto one = operations->rbegin(); one != operations->rend(); ++one) {
      // One of an earlier program, or whose steps are damaged, cannot be taken back.
      if (!one->token.empty()) STRATA_TRY(catalog.log(*one));
    }
    return {};
  }));
  return true;
}

/// Packs come without their versions being listed anew where a repair fetches objects alone.
/// Whether any came.
Result<bool> noteArrivals(Catalog& catalog, const ObjectFolder& objects) {
  STRATA_TRY(const auto awaited, catalog.awaitedObjects());
  std::vector<Digest> arrived;
  for (const CatalogObject& pack : awaited) {
    if (objects.byteCount(pack.digest)) arrived.push_back(pack.digest);
  }
  if (arrived.empty()) return false;
  STRATA_TRY(catalog.transact([&]() -> Result<void> {
    for (const Digest& pack : arrived) STRATA_TRY(catalog.noteArrival(pack));
    return {};
  }));
  STRATA_TRY(logSync(catalog, "arrival"));
  return true;
}

}  // namespace

Store::Store(fs::path folder, std::string id, std::unique_ptr<Catalog> catalog)
    : folder_(std::move(folder)),
      id_(std::move(id)),
      catalog_(std::move(catalog)),
      objects_(folder_),
      refs_(folder_) {}

bool Store::isStore(const fs::path& folder) {
  std::error_code status;
  return fs::exists(folder / "store.toml", status) || hasLostSettings(folder);
}

Result<std::string> Store::checkFormat(const fs::path& folder) {
  if (!isStore(folder)) {
    return fail(ErrorCode::NoStore, folder.string() + ": no store here");
  }
  STRATA_TRY(checkPlaces(folder));
  return readSettings(folder);
}

Result<std::unique_ptr<Store>> Store::open(const fs::path& folder) {
  std::error_code status;
  const fs::path whole = fs::absolute(folder, status).lexically_normal();
  STRATA_TRY(std::string id, checkFormat(whole));
  Result<std::unique_ptr<Catalog>> catalog = Catalog::openForReading(whole / kCatalog);
  if (!catalog && isFull(whole)) catalog = openOnFullDisk(whole);
  if (!catalog) {
    ErrorCode code = catalog.error().code;
    if (code == ErrorCode::NotFound) code = ErrorCode::CorruptData;
    if (code != ErrorCode::FormatTooNew && code != ErrorCode::CorruptData) {
      return fail(std::move(catalog).error());
    }
    return fail(code,
                catalog.error().message + "; \"strata verify --rebuild-catalog\" writes it anew");
  }
  return std::unique_ptr<Store>(new Store(whole, std::move(id), *std::move(catalog)));
}

Result<std::unique_ptr<Store>> Store::create(const fs::path& folder, Sharing sharing) {
  std::error_code status;
  const fs::path whole = fs::absolute(folder, status).lexically_normal();
  if (isStore(whole)) {
    return fail(isStoreAlready(whole));
  }
  STRATA_TRY(refuseInsideStore(whole));
  if (fs::exists(whole, status) && (!fs::is_directory(whole, status) || !isFreeForStore(whole))) {
    return fail(ErrorCode::InvalidArgument,
                whole.string() + ": is not an empty folder; a store needs one of its own");
  }
  STRATA_TRY(checkPlaces(whole));
  STRATA_TRY(makeDurableFolder(whole));
  // Where the store lies says nothing about who shares it.
  STRATA_TRY(shareFolder(whole, sharing));
  for (const char* name : kFirstFolders) STRATA_TRY(makeStoreFolder(whole / name));
  STRATA_TRY(writeNewStore(whole));
  return open(whole);
}

Result<MappedFile> Store::openObject(const Digest& digest) const { return objects_.open(digest); }

Result<std::unique_ptr<StoreWriter>> Store::lock(std::string_view purpose, std::stop_token stop,
                                                 Purse purse) {
  return beginWriting(purpose, std::move(stop), purse, Leftovers::Settled);
}

Result<std::unique_ptr<StoreWriter>> Store::lockForRepair(std::string_view purpose,
                                                          std::stop_token stop) {
  return beginWriting(purpose, std::move(stop), Purse::Own, Leftovers::Left);
}

Result<std::unique_ptr<StoreWriter>> Store::beginWriting(std::string_view purpose,
                                                         std::stop_token stop, Purse purse,
                                                         Leftovers leftovers) {
  const auto onHeld = [&] {
    if (purse == Purse::Reserve) releaseReserve(folder_);
  };
  STRATA_TRY(checkPlaces(folder_));
  // Tools that copy may drop folders that are empty.
  for (const char* name : kFirstFolders) STRATA_TRY(makeStoreFolder(folder_ / name));
  STRATA_TRY(StoreLock lock, StoreLock::acquire(folder_ / kLock, purpose, lockWait_, stop, onHeld));
  const bool previousDied = lock.previousOwnerDied();
  // Until the leftovers are gone, the next writer has to look as well.
  lock.leaveMark();
  ReserveFiller filler(folder_);
  STRATA_TRY(auto catalog, Catalog::openForWriting(folder_ / kCatalog));
  if (previousDied) removeLeftovers(folder_ / "tmp");
  StagedObjects::removeAbandoned(folder_);
  // An older program clears the mark of a writer that died, and leaves its change.
  const bool hasChange = !isOver(refs_);
  const bool isSettled = leftovers == Leftovers::Settled;
  const bool isSynced = isSettled && (previousDied || hasChange || catalog->wasExtended());
  const bool looksAtAll = isSynced || !isSettled;
  STRATA_TRY(bringNumbersBack(folder_ / kCatalog, refs_,
                              looksAtAll ? NumberFiles::All : NumberFiles::Changed));
  if (isSynced) {
    STRATA_TRY(syncCatalog(*catalog, refs_, objects_, SyncScope::Differences, {}, {}, {}));
    STRATA_TRY(logSync(*catalog, "settle"));
    STRATA_TRY(noteAllNumbers(folder_ / kCatalog, refs_));
  }
  STRATA_TRY(const bool hasArrivals, noteArrivals(*catalog, objects_));
  std::unique_ptr<StoreWriter> writer(new StoreWriter(*this, std::move(lock), std::move(catalog)));
  filler.leave();
  // Who died may have come to an object and not to its parity.
  writer->isParityOpen_ = hasArrivals || previousDied;
  if (!isSettled) return writer;
  // What cannot be deleted now is left to the next writer: a store has to stay writable.
  const bool isFinished = !previousDied || writer->finishDeletions();
  if (isFinished) writer->lock_.clearMark();
  return writer;
}

Result<void> Store::settle(std::string_view purpose, std::stop_token stop) {
  const LockState state = readLock(folder_ / kLock);
  const bool isRefused = state.held && lockWait_.longest.count() == 0;
  const bool hasDied = state.owner && !state.held;
  if (!isRefused && !hasDied) return {};
  STRATA_TRY(lock(purpose, std::move(stop)));
  return {};
}

Result<SyncReport> Store::rebuildCatalog(const fs::path& folder, std::stop_token stop,
                                         const ProgressSink& progress, const LockWait& wait) {
  STRATA_TRY(checkFormat(folder));
  for (const char* name : kFirstFolders) STRATA_TRY(makeStoreFolder(folder / name));
  STRATA_TRY(StoreLock lock, StoreLock::acquire(folder / kLock, "verify", wait, stop));
  const bool hasDied = lock.previousOwnerDied();
  // Until the catalog is whole, the next writer has to look as well.
  lock.leaveMark();
  const fs::path file = folder / kCatalog;
  const bool isSound = isSoundCatalog(file);
  const fs::path written = isSound ? file : folder / "tmp" / "catalog.new";
  RememberedRefs remembered = rememberedIn(file);
  remembered.isSound = isSound;
  const RefFolder refs(folder);
  // A catalog that is damaged may not know them.
  if (lostNumberNotes(file, refs, NumberFiles::All)) {
    STRATA_TRY(bringNumbersBack(file, refs, NumberFiles::All));
  }
  SyncReport report;
  {
    STRATA_TRY(lock.check());
    if (!isSound) removeCatalog(written);
    STRATA_TRY(const auto catalog,
               isSound ? Catalog::openForWriting(written) : Catalog::create(written));
    STRATA_TRY(const bool hasHistory, isSound ? Result<bool>(true) : takeHistory(*catalog, file));
    STRATA_TRY(report, syncCatalog(*catalog, refs, ObjectFolder(folder), SyncScope::Everything,
                                   remembered, std::move(stop), progress));
    STRATA_TRY(noteAllNumbers(written, refs));
    STRATA_TRY(logSync(
        *catalog, "rebuild",
        hasHistory ? "" : "the log of operations began anew: the old catalog could not be read"));
  }
  if (!isSound) {
    STRATA_TRY(lock.check());
    STRATA_TRY(moveCatalog(file, folder / "tmp" / "catalog.broken"));
    STRATA_TRY(moveCatalog(written, file));
  }
  // The mark goes, so nobody looks for them after this.
  removeLeftovers(folder / "tmp");
  if (hasDied) settleParity(folder, lock);
  STRATA_TRY(const auto going, refs.goingNumbers());
  if (going.empty()) lock.clearMark();
  return report;
}

}  // namespace strata
