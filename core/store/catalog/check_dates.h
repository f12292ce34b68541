#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// What a check of a store came to, by manifest: those that can be restored with their parents, and
/// those that cannot.
struct CheckOutcome {
  std::span<const Digest> sound;
  std::span<const Digest> damaged;
  std::span<const Digest> damagedObjects = {};  ///< packs and manifests with other bytes
  std::span<const Digest> soundObjects = {};    ///< of those that an earlier check found damaged
};

/// Keeps in the catalog when versions were found sound, and takes that back of damaged ones:
/// VersionEntry::checkedAt, and damagedManifests() for these. The tables are written without the
/// store's write lock, for checks run beside other work. They were not part of the catalog's first
/// layout: older programs do not look at them. Rebuilding a sound catalog keeps them; a version
/// that rests on another manifest by then counts as never checked.
///
/// `at`: seconds since 1970, UTC. Fails with NotFound (no catalog), CorruptData, NoSpace or Io, as
/// it does where the store cannot be written to.
Result<void> noteChecks(const std::filesystem::path& storeFolder, const CheckOutcome& outcome,
                        std::int64_t at);

/// The manifests whose versions the last check of them found damaged, and when that was: seconds
/// since 1970, UTC. Fails with NotFound (no catalog), CorruptData or Io.
Result<std::map<Digest, std::int64_t>> damagedManifests(const std::filesystem::path& storeFolder);

/// The objects whose bytes the last check of them found to be others. They may have been mended
/// since: whoever asks hashes them. Fails as damagedManifests().
Result<std::set<Digest>> damagedObjects(const std::filesystem::path& storeFolder);

/// To be called after a repair: nothing is known of these manifests until the next check. Fails as
/// noteChecks().
Result<void> forgetDamage(const std::filesystem::path& storeFolder,
                          std::span<const Digest> manifests);

}  // namespace strata
