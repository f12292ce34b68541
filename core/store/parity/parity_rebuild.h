#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"
#include "core/store/parity/parity_folder.h"

namespace strata {

/// What came back by parity.
struct ParityRebuilt {
  std::vector<Digest> objects;
  std::uint64_t byteCount = 0;     ///< of them
  std::uint64_t shards = 0;        ///< files of parity that were written anew
  std::vector<Digest> notRebuilt;  ///< too much of their group is lost, or no group has them
};

/// Whether all that is lost of a group can be computed from what is there. Reads all of it.
bool canBringBack(const StoredParity& group, const ObjectFolder& objects,
                  const ParityFolder& folder);

/// Brings back lost and damaged objects by the parity of their groups, and parity that is damaged
/// by the objects. Each object is compared with its digest before it gets its place. Objects that
/// are sound are read and never written. Only under the write lock, which `mayGoOn` checks before a
/// file gets its place. Fails with NoSpace, CorruptData (a link), Io and as `mayGoOn`.
Result<ParityRebuilt> rebuildByParity(const std::filesystem::path& storeFolder,
                                      const ObjectFolder& objects, const std::set<Digest>& lost,
                                      const std::function<Result<void>()>& mayGoOn);

}  // namespace strata
