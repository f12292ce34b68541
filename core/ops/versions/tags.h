#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A name for one version within its variant: `sst2:prod`.
struct TagRow {
  std::string name;
  std::string tag;
  std::uint32_t number = 0;  ///< of the version
  std::string note;
  std::int64_t taggedAt = 0;  ///< seconds since 1970, UTC
  Digest contentDigest;
};

struct TagOptions {
  std::string reference = {};
  std::string tag = {};
  bool move = false;  ///< take it from the version that has it
  std::string note = {};
};

struct TagReport {
  VersionEntry version;
  std::string movedFrom;  ///< label of the version that had the tag; empty if none
  bool changed = true;    ///< false: the version had the tag already
};

/// Fails with InvalidArgument (malformed; in use, without `move`), NotFound, StoreLocked, Io.
Result<TagReport> addTag(Store& store, const TagOptions& options);

/// `reference` is NAME:TAG. Fails with NotFound, InvalidArgument, StoreLocked, Io.
Result<TagRow> removeTag(Store& store, std::string_view reference);

/// Of one name, or of all if it is empty; sorted by name and tag.
Result<std::vector<TagRow>> listTags(const Store& store, std::string_view name);

}  // namespace strata
