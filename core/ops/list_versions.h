#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct ListOptions {
  enum class Sort { Name, Size, Date, Ratio, Change };
  std::string glob = {};     ///< of names, with * and ?; empty: all
  bool allVersions = false;  ///< else only the newest of each name
  Sort sort = Sort::Name;
  /// Conditions such as "ratio>10", "stored<=20MB", "original>1GB", "name=sst*", "tag=prod",
  /// "base=distilbert", "depth<3", "date>=2026-03-01", joined by ','. Empty: all.
  std::string filter = {};
};

struct ListRow {
  VersionEntry version;
  std::string parentLabel;         ///< empty for a base
  std::string baseLabel;           ///< the root of the lineage; empty for a base
  std::uint32_t versionCount = 1;  ///< of this name
};

struct StoreTotals {
  std::uint64_t versionCount = 0;  ///< without bases
  std::uint64_t baseCount = 0;
  std::uint64_t originalBytes = 0;  ///< of all versions and bases
  std::uint64_t objectBytes = 0;    ///< packs and manifests, the trash's included
  /// Originals / objects; 0 for an empty store.
  double storeRatio() const noexcept {
    return objectBytes == 0 ? 0
                            : static_cast<double>(originalBytes) / static_cast<double>(objectBytes);
  }
};

struct ListReport {
  std::vector<ListRow> rows;
  StoreTotals totals;  ///< of the whole store, whatever was listed
};

/// Reads the catalog only. Fails with InvalidArgument if the filter is malformed.
Result<ListReport> listVersions(const Store& store, const ListOptions& options);

Result<StoreTotals> storeTotals(const Store& store);

}  // namespace strata
