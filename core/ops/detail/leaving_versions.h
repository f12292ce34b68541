#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/store/catalog/catalog.h"
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

/// Bytes that deleting `leaving` for good frees, by the catalog, with the versions that no name
/// leads to and that nothing needs then. Fails with what the catalog fails with.
Result<std::uint64_t> freeableBytes(const Catalog& catalog, std::vector<VersionEntry> leaving);

/// Bytes of the objects that are on the disk.
std::uint64_t byteSum(const std::vector<CatalogObject>& objects);

}  // namespace strata
