#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/store/catalog/catalog.h"
#include "core/store/objects/object_folder.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// A version whose ref or manifest cannot be read.
struct UnreadableVersion {
  std::string name;
  std::uint32_t number = 0;
  Place place = Place::Live;
  std::optional<VersionRef> ref;  ///< nothing if it is the ref that cannot be read
  Error error;

  std::string label() const { return name + ":v" + std::to_string(number); }
};

/// What refs and manifests say, read anew for one decision. The catalog on the disk repeats them
/// and may be old or damaged, so whatever deletes goes by this one.
struct TrueCatalog {
  std::unique_ptr<Catalog> catalog;  ///< in memory; of all that could be read, with tags
  std::vector<UnreadableVersion> unreadable;

  /// All versions of `catalog`, live ones first.
  Result<std::vector<VersionEntry>> versions() const;
};

/// Reads every ref and manifest of a store. Without the write lock a version may be on its way
/// meanwhile: it is then in the place where it was found first, or left out.
/// Fails with Cancelled or Io.
Result<TrueCatalog> readTrueCatalog(const RefFolder& refs, const ObjectFolder& objects,
                                    const std::stop_token& stop);

}  // namespace strata
