#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/manifest.h"
#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// What a version records beside its words. It takes bytes, too.
struct VersionRecord {
  std::string profile = {};
  std::string settings = {};               ///< TOML
  std::vector<QualityScore> quality = {};  ///< scores
  Digest original = {};                    ///< content digest of the unquantized model
  std::uint64_t spareBytes = 0;            ///< for scores that nobody knows so far
};

/// Bytes of a version of `packBytes` bytes of packs, whose manifest has `record`. Fails with
/// LimitExceeded.
Result<std::uint64_t> bytesWithRecord(std::uint64_t packBytes, Manifest manifest,
                                      const VersionRecord& record);

}  // namespace strata
