#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata::hub {

/// One object of git-lfs: a file that is known by the SHA-256 of its bytes.
struct LfsObject {
  Digest sha256;  ///< the oid
  std::uint64_t byteCount = 0;
  std::filesystem::path path = {};  ///< of an upload: the file

  std::string oid() const { return toHex(sha256); }
  /// The name that its versions have in a store.
  std::string name() const { return "lfs-" + oid(); }
  /// The content digest of a model that is just this file, called `fileName`.
  Digest contentAs(const std::string& fileName) const;
};

/// Makes sure that the file at `object.path` is the object. Fails with CorruptData, naming what was
/// expected and found, NotFound, Io, Cancelled.
Result<void> checkLfsFile(const LfsObject& object, const std::stop_token& stop);

/// Whether a version restores to the bytes of the object, whatever its name. Fails with NotFound or
/// CorruptData if its manifest cannot be read.
Result<bool> holdsLfsObject(const Store& store, const VersionEntry& version,
                            const LfsObject& object);

}  // namespace strata::hub
