#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"
#include "core/store/parity/parity_folder.h"

namespace strata {

/// A file of parity that is not as it was written.
struct ParityDamage {
  Digest group;
  std::filesystem::path path;
  std::uint64_t byteCount = 0;  ///< it should have; 0: not known
  std::string reason;           ///< "is missing", "does not match its checksum"
};

/// What the parity of a store protects, and what that costs.
struct ParityState {
  std::optional<ParityRatio> ratio;  ///< what the setting says; nothing: off
  std::vector<StoredParity> groups;
  std::vector<ParityDamage> damages;
  std::uint64_t protectedObjects = 0;    ///< that are here, in a group with all its files
  std::uint64_t protectedBytes = 0;      ///< of them
  std::uint64_t unprotectedObjects = 0;  ///< that are here, while the setting is on
  std::uint64_t parityBytes = 0;         ///< of all files of parity
  bool isRatioFromGroups = false;        ///< the settings do not name it (ParitySetting)
  /// Objects that groups name and that are not here: lost, or deleted by a program that knows no
  /// parity. Each takes the place of one more that may be lost.
  std::set<Digest> absentMembers;
  std::vector<std::uint8_t> soundFiles;  ///< of each of `groups`, as far as was looked

  /// Which of these objects, all of them damaged or missing, the parity can bring back if all else
  /// is sound.
  std::set<Digest> reachable(const std::set<Digest>& lost) const;
};

enum class ParityLook {
  Names,      ///< which files there are
  Sizes,      ///< and how many bytes they have
  Checksums,  ///< and whether these are sound
};

/// The object of a member; nothing if it is missing, or its bytes are not those of its name.
std::optional<MappedFile> soundObject(const ObjectFolder& objects, const ParityMember& member);

/// Looks at all parity. Groups that the next writer takes away, because a writer was killed, are no
/// damage. Fails with FormatTooNew, CorruptData (a link, or settings), Cancelled, Io.
Result<ParityState> checkParity(const std::filesystem::path& storeFolder,
                                const ObjectFolder& objects, ParityLook look,
                                const std::stop_token& stop);

}  // namespace strata
