#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/objects.h"
#include "core/io/store_modes.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/store/objects/object_folder.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/store_lock.h"

namespace strata {

class StoreWriter;
struct SyncReport;

/// Newest layout of a store that this program reads and writes.
inline constexpr std::uint32_t kStoreFormat = 1;

/// A folder of models, opened for reading.
///
///     STORE/store.toml       format version and the store's random id
///     STORE/catalog.sqlite   what lists and look-ups read; can be rebuilt from the rest
///     STORE/objects/ab/cd…   packs and manifests, named by the SHA-256 of their bytes
///     STORE/refs/NAME/…      one small file for each version and tag: names, notes, dates
///     STORE/trash/NAME/…     the refs of removed versions
///     STORE/tmp/             files being written
///     STORE/lock             who writes now
///     STORE/reserve          space for the commands that free space
///
/// Readers never block and see the state of the last finished operation. Safe to use from several
/// threads. Neither copied nor moved: version readers hold on to it.
class Store final : public ObjectReader {
 public:
  /// Fails with NoStore, InvalidArgument if it is another user's and was not accepted,
  /// FormatTooNew, CorruptData if the catalog is damaged or missing, Io.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& folder);

  /// Makes an empty store, the owner's alone or a group's; `folder` may exist if it is empty. Fails
  /// with InvalidArgument if it holds something else, NoSpace, Io.
  static Result<std::unique_ptr<Store>> create(const std::filesystem::path& folder,
                                               Sharing sharing = Sharing::None);

  /// Whether `folder` holds a store, in any state and of any format.
  static bool isStore(const std::filesystem::path& folder);

  /// The store's id. Fails with NoStore, InvalidArgument (another user's), CorruptData (store.toml)
  /// or FormatTooNew.
  static Result<std::string> checkFormat(const std::filesystem::path& folder);

  /// Writes the catalog anew from refs and manifests, whatever state it is in. One that cannot be
  /// read is kept as `tmp/catalog.broken`. Refs that are missing or damaged and that the old one
  /// remembers are written anew. Fails with what checkFormat fails with, StoreLocked, Cancelled,
  /// NoSpace, Io.
  static Result<SyncReport> rebuildCatalog(const std::filesystem::path& folder,
                                           std::stop_token stop, const ProgressSink& progress,
                                           const LockWait& wait = {});

  const std::filesystem::path& folder() const noexcept { return folder_; }
  const std::string& id() const noexcept { return id_; }
  const Catalog& catalog() const noexcept { return *catalog_; }
  const ObjectFolder& objects() const noexcept { return objects_; }
  const RefFolder& refs() const noexcept { return refs_; }

  Result<MappedFile> openObject(const Digest& digest) const override;

  /// The version that `reference` names, as the catalog knows it.
  /// Fails as resolveIn.
  Result<VersionEntry> resolve(std::string_view reference) const;

  /// As resolve, and makes sure that the ref files say the same, so that a damaged catalog never
  /// leads to another model than the one asked for. Fails with CorruptData if they do not. While a
  /// writer is at work, or has died over it, what it has begun counts as not done.
  Result<VersionEntry> resolveChecked(std::string_view reference) const;

  /// How long writers wait for each other from now on.
  void setLockWait(LockWait wait) { lockWait_ = std::move(wait); }
  const LockWait& lockWait() const noexcept { return lockWait_; }

  /// Whether a writer frees space, and so may use what the store keeps for that
  /// (core/store/space_reserve.h).
  enum class Purse { Own, Reserve };

  /// Takes the write lock for `purpose` ("add"), finishes or rolls back what a writer that died
  /// left behind, and removes its temporary files. Waits for another writer.
  /// Fails with StoreLocked, naming the owner, Cancelled, Io, or CorruptData if what was left
  /// behind cannot be read; a repair comes first then.
  Result<std::unique_ptr<StoreWriter>> lock(std::string_view purpose, std::stop_token stop = {},
                                            Purse purse = Purse::Own);

  /// As lock(), for who repairs: leaves what others left behind to StoreWriter::rescueRefs, which
  /// the caller calls before all else. Fails as lock().
  Result<std::unique_ptr<StoreWriter>> lockForRepair(std::string_view purpose,
                                                     std::stop_token stop = {});

  /// Does what lock() does about a writer that died, if one did, and fails at once where lock()
  /// would not wait. For who reads the catalog long before it takes the lock. Fails as lock().
  Result<void> settle(std::string_view purpose, std::stop_token stop);

 private:
  friend class StoreWriter;
  Store(std::filesystem::path folder, std::string id, std::unique_ptr<Catalog> catalog);
  enum class Leftovers { Settled, Left };
  Result<std::unique_ptr<StoreWriter>> beginWriting(std::string_view purpose, std::stop_token stop,
                                                    Purse purse, Leftovers leftovers);
  Result<VersionEntry> resolveAgreed(std::string_view reference, Place place,
                                     bool isUnfinished) const;

  std::filesystem::path folder_;
  std::string id_;
  std::unique_ptr<Catalog> catalog_;
  ObjectFolder objects_;
  RefFolder refs_;
  LockWait lockWait_;
};

/// The version that a reference means among those at `place`.
/// Fails with NotFound, naming what there is or that it is in the trash, or InvalidArgument.
Result<VersionEntry> resolveIn(const Catalog& catalog, std::string_view reference, Place place);

/// The version in the trash that a reference means, if any; none for NAME~N, which counts among
/// the live ones.
std::optional<VersionEntry> findRemoved(const Catalog& catalog, std::string_view reference);

}  // namespace strata
