#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// An object of the store and who needs it.
struct ObjectRow {
  Digest digest;
  std::uint64_t byteCount = 0;
  bool isManifest = false;     ///< else a pack
  bool isAwaited = false;      ///< its versions were pulled without it
  std::int64_t checkedAt = 0;  ///< when a version that needs it was last found sound
  /// Labels of live versions whose manifests name it, or whose parents without a name do.
  std::vector<std::string> usedBy = {};
  std::vector<std::string> trashedBy = {};  ///< the same of versions in the trash
};

/// All objects that the catalog knows, the largest first. Opens none of them.
/// Fails with CorruptData, Io.
Result<std::vector<ObjectRow>> listObjects(const Store& store);

}  // namespace strata
