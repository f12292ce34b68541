#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"
#include "core/store/parity/parity_folder.h"
#include "core/store/parity/parity_writer.h"

namespace strata {

/// What the parity of a store goes by.
struct ParitySetting {
  std::optional<ParityRatio> ratio;  ///< nothing: off
  /// The store's settings do not name it, though there is parity: they were lost, or somebody took
  /// the line out. It goes on as most of its groups are.
  bool isFromGroups = false;
};

/// By the store's own settings. Fails with InvalidArgument, FormatTooNew, CorruptData (a link), Io.
Result<ParitySetting> parityOfStore(const std::filesystem::path& storeFolder);

/// Keeps the parity of a store true to its objects. For one thread, under the write lock.
///
/// New parity is durable before parity that it replaces goes, and that is before an object goes
/// that it names. So whoever is killed leaves groups that protect what they name; some objects may
/// be in two of them, or in none. settle() puts that right.
///
/// A group has objects of one size class, so that small ones do not take the places of large ones:
/// the sizes of a class differ by less than a factor of two. One group of a class is open, and the
/// next object of that class joins it.
class ParityGrouping {
 public:
  /// `mayGoOn` is asked before each group is written and each file deleted: whether the lock is
  /// still held, and whether the user asked to stop.
  ParityGrouping(const std::filesystem::path& storeFolder, const ObjectFolder& objects,
                 std::function<Result<void>()> mayGoOn);

  /// Protects objects that were just written. Costs as much for the last of many as for the first.
  /// Those that are gone or damaged are left out. Fails with NoSpace, Io and as parityOfStore.
  Result<void> protect(const std::vector<Digest>& fresh);

  /// Looks at all objects: protects those that lack it, takes away what killed writers left, and
  /// writes files of parity that are missing, where all objects of their group are sound.
  /// Where the setting is off, all parity goes but that of lost and damaged objects. Fails as
  /// protect().
  Result<void> settle();

  /// Also forms groups anew that are not full, cost more than twice what the setting says, have
  /// another setting, or name objects that are gone and that `isNeeded` does not ask for. Objects
  /// that stand in none of the others are taken by their size, so that all parity costs at most
  /// what the setting says and the largest objects once more. Fails as protect().
  Result<void> computeAnew(const std::function<bool(const Digest&)>& isNeeded);

  /// Before objects are deleted: the groups that they are in are computed without them. Answers
  /// with those that may be deleted now: one stays whose group needs it to bring back another one
  /// that is lost. Where the disk is full, the group goes instead, if all that stays of it is
  /// sound, and `behind` says so. Fails with Io, CorruptData.
  Result<std::vector<Digest>> release(const std::vector<Digest>& leaving);

  std::uint64_t writtenBytes() const noexcept { return writer_.writtenBytes(); }

 private:
  struct Loose {
    Digest digest;
    std::uint64_t byteCount = 0;
  };
  using Objects = std::vector<StoredObject>;
  using Formed = std::set<std::pair<Digest, bool>>;  ///< ids, and whether they are open
  Result<std::vector<StoredParity>> listWithoutLeftovers();
  Result<bool> complete(const std::vector<StoredParity>& groups);
  Result<bool> leave(const StoredParity& from, const ParityGroup& rest);
  Result<void> join(std::vector<Loose> loose, std::vector<StoredParity> open,
                    const ParityRatio& ratio);
  Result<void> fill(std::vector<Loose>& rest, const StoredParity* open, const ParityRatio& ratio);
  Result<void> replace(const StoredParity& former);
  /// Objects to be grouped by size, in groups of their own; returns these.
  Result<Formed> formGroups(std::vector<Loose> loose, const std::vector<StoredParity>& dissolved,
                            const ParityRatio& ratio, std::set<Digest>& unfit);

  std::filesystem::path store_;
  const ObjectFolder& objects_;
  std::function<Result<void>()> mayGoOn_;
  ParityFolder folder_;
  ParityWriter writer_;
};

}  // namespace strata
