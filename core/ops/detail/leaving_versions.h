#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept;
bool isAmong(std::span<const VersionEntry> versions, const VersionEntry& sought) noexcept;
/// Takes `others` out of `versions`.
void leaveOut(std::vector<VersionEntry>& versions, std::span<const VersionEntry> others);

/// Takes versions out of `leaving` until nothing of `all` that stays is a difference to one of the
/// rest; returns what it took out. A version whose content stays as another one may leave, unless
/// that one is rebuilt through it.
std::vector<VersionEntry> keepNeeded(std::span<const VersionEntry> all,
                                     std::vector<VersionEntry>& leaving);

/// What removed versions take that can be deleted for good, and what is left of them.
struct Leaving {
  std::vector<VersionEntry> gone;    ///< nothing that stays needs them
  std::vector<VersionEntry> needed;  ///< others are differences to them
};

/// Sorts `leaving`, and all versions that no name leads to any more, by what stays.
/// `all`: the versions that count, leaving ones among them.
Leaving sortLeaving(std::span<const VersionEntry> all, std::vector<VersionEntry> leaving);

/// What deleting versions for good frees, by the catalog: also what they were coded as before they
/// were recoded, which no version names. Knows a store as it was when it was made, and reads the
/// names of all objects then.
class Freeable {
 public:
  /// `catalog` is the store's own, or a writer's. Fails with what the catalog fails with, or Io.
  static Result<Freeable> load(const Store& store, const Catalog& catalog);

  /// Bytes that go with `gone`, which nothing that stays needs (Leaving).
  Result<std::uint64_t> bytesOf(const std::vector<VersionEntry>& gone) const;
  /// Bytes that go with `leaving`, as far as nothing needs them, and with the versions that no name
  /// leads to.
  Result<std::uint64_t> bytesWith(std::vector<VersionEntry> leaving) const;

  /// Live ones and those of the trash.
  const std::vector<VersionEntry>& all() const noexcept { return all_; }

 private:
  Freeable(const Store& store, const Catalog& catalog) : store_(&store), catalog_(&catalog) {}

  const Store* store_;
  const Catalog* catalog_;
  std::vector<VersionEntry> all_;
  std::vector<UnnamedManifest> loose_;
};

/// Bytes of the objects that are on the disk.
std::uint64_t byteSum(const std::vector<CatalogObject>& objects);

}  // namespace strata
