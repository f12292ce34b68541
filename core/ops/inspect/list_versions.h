#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct ListOptions {
  enum class Sort { Name, Size, Date, Ratio, Change };
  std::string glob = {};     ///< of names or NAME:vN, with * and ?; empty: all
  bool allVersions = false;  ///< else only the newest of each name
  Sort sort = Sort::Name;
  /// Conditions such as "ratio>10", "stored<=20MB", "original>1GB", "awaited>0", "lossy", "exact",
  /// "name=sst*", "tag=prod", "base=distilbert", "depth<3", "date>=2026-03-01",
  /// "checked<2026-03-01" (by `verify`), "unchecked>30" (days since then, or since it was added),
  /// joined by ','. Empty: all.
  std::string filter = {};
};

/// What has to be fetched before a version can be restored, because it or a parent was pulled
/// without its packs.
struct AwaitedAmount {
  std::uint64_t packCount = 0;
  std::uint64_t byteCount = 0;
  std::uint64_t ownBytes = 0;  ///< the version's own share of byteCount

  bool isHere() const noexcept { return packCount == 0; }
};

/// What a version takes on the disk, as `du` counts it (core/ops/inspect/disk_usage.h).
struct TakenBytes {
  std::uint64_t own = 0;     ///< what deleting it for good frees
  std::uint64_t shared = 0;  ///< of its other objects
};

struct ListRow {
  VersionEntry version;
  std::string parentLabel;         ///< empty for a base
  std::string baseLabel;           ///< the root of the lineage; empty for a base
  std::uint32_t versionCount = 1;  ///< of this name
  AwaitedAmount awaited = {};
  /// Of a version whose content was stored already when it was added: it stored nothing itself.
  std::optional<TakenBytes> taken = {};
};

struct StoreTotals {
  std::uint64_t versionCount = 0;  ///< without bases
  std::uint64_t baseCount = 0;
  std::uint64_t originalBytes = 0;    ///< of all versions and bases
  std::uint64_t objectBytes = 0;      ///< packs and manifests on the disk, the trash's included
  std::uint64_t awaitedVersions = 0;  ///< and bases that cannot be restored before a pull
  std::uint64_t awaitedPacks = 0;     ///< those that are not here, the trash's included
  std::uint64_t awaitedBytes = 0;     ///< what they take where they are
  /// Originals / objects, awaited ones included; 0 for an empty store.
  double storeRatio() const noexcept {
    const std::uint64_t stored = objectBytes + awaitedBytes;
    return stored == 0 ? 0 : static_cast<double>(originalBytes) / static_cast<double>(stored);
  }
};

/// Of what was listed.
struct ListedTotals {
  std::uint64_t versionCount = 0;   ///< bases included
  std::uint64_t originalBytes = 0;  ///< of their models
  std::uint64_t objectBytes = 0;    ///< their objects on the disk, each once; parents' not included
};

struct ListReport {
  std::vector<ListRow> rows;
  StoreTotals totals;  ///< of the whole store, whatever was listed
  /// Where a name or a condition chose what is listed.
  std::optional<ListedTotals> listed = {};
};

/// What ListOptions::filter compares: "ratio, change, …".
std::string_view listFilterFields() noexcept;

/// Reads the catalog only. Fails with InvalidArgument if the filter is malformed.
Result<ListReport> listVersions(const Store& store, const ListOptions& options);

Result<StoreTotals> storeTotals(const Store& store);

/// What a version takes that stored nothing itself; nothing for all others.
Result<std::optional<TakenBytes>> takenBytes(const Store& store, const VersionEntry& version);

/// How far a version is from its parent, for people: "0.012"; "no size" where what differs has
/// none, as NaN and integers; "-" where there is no change to speak of.
std::string wordChangeOf(const VersionEntry& version);

/// The moment since which a version must have been found sound, or added, to count as checked
/// lately: the setting verify.days before now. Seconds since 1970, UTC.
std::int64_t checkedLatelySince(const Config& config);
/// Versions and bases that were not checked lately.
Result<std::uint64_t> countUnchecked(const Store& store, std::int64_t since);

}  // namespace strata
