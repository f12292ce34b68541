#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/digest.h"

namespace strata {

/// Where a version is.
enum class Place { Live, Trash };

/// What a list shows of one stored version. A plain value, read from the catalog without opening
/// the version's manifest.
struct VersionEntry {
  std::string name;
  std::uint32_t number = 0;            ///< N of `name:vN`, from 1
  Digest contentDigest;                ///< identity: what `@HASH` looks for
  Digest manifestDigest;               ///< the object that restoring starts from
  std::optional<Digest> parentDigest;  ///< content digest of the parent; nothing for a base
  std::uint32_t depth = 0;             ///< parents to decode before this one
  std::string format;                  ///< "onnx", "safetensors" or "folder"
  std::string effort;
  std::string profile;
  bool lossy = false;

  std::int64_t addedAt = 0;    ///< seconds since 1970, UTC
  std::int64_t removedAt = 0;  ///< the same; 0 unless in the trash
  /// Of one that was removed for good: no name leads to it any more, and it cannot come back by
  /// one. It stands among the trash's only because others are differences to it.
  bool isUnlisted = false;
  std::int64_t checkedAt = 0;  ///< when `verify` last found it and its parents sound; 0: never
  std::string note;
  std::string license;
  std::string sourceUrl;
  std::vector<std::string> tags;  ///< sorted

  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;  ///< fixed when it was added; 0 if its content was here already
  std::uint32_t fileCount = 0;
  std::uint32_t tensorCount = 0;     ///< without bytes of other files
  std::uint32_t changedTensors = 0;  ///< like a tensor of the parent
  std::uint32_t sameTensors = 0;     ///< equal to a tensor of the parent
  std::uint32_t newTensors = 0;      ///< coded without the parent
  /// L2 norm of the difference / of the parent's words, over all that have a counterpart there.
  double relativeChange = 0;

  Place place() const noexcept { return removedAt == 0 ? Place::Live : Place::Trash; }
  bool isBase() const noexcept { return !parentDigest; }
  /// Whether any weight has a counterpart in the parent: else there is no change to speak of.
  bool hasChange() const noexcept {
    return !isBase() && (sameTensors + changedTensors > 0 || relativeChange > 0);
  }
  /// "sst2:v2".
  std::string label() const { return name + ":v" + std::to_string(number); }
  /// Since when it is not known to be sound by more than its being there: when it was checked last,
  /// or else added, which decodes what it has stored.
  std::int64_t soundAt() const noexcept { return std::max(addedAt, checkedAt); }
  /// Original / stored; 0 where nothing was stored.
  double ratio() const noexcept {
    return storedBytes == 0 ? 0
                            : static_cast<double>(originalBytes) / static_cast<double>(storedBytes);
  }
};

}  // namespace strata
