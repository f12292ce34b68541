#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/inspect/list_versions.h"
#include "core/result.h"
#include "core/store/parity/parity_check.h"
#include "core/store/store.h"

namespace strata {

struct InfoReport {
  std::filesystem::path folder;
  std::string id;
  std::uint32_t storeFormat = 0;
  std::uint32_t catalogSchema = 0;
  std::uint32_t archiveFormat = 0;  ///< newest that this program writes
  StoreTotals totals;
  std::uint64_t nameCount = 0;
  std::uint64_t tagCount = 0;
  std::uint64_t objectCount = 0;
  std::uint64_t trashedVersions = 0;
  std::uint64_t trashBytes = 0;  ///< that emptying it would free
  ParityState parity;
  std::uint64_t temporaryBytes = 0;
  std::uint64_t freeBytes = 0;  ///< of the disk
  std::string lockedBy;         ///< "PID 12 (strata add) since …"; empty if nobody writes
  std::string lockLeftBy;       ///< a writer that died; the next one cleans up after it
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version in use
};

Result<InfoReport> storeInfo(const Store& store);

}  // namespace strata
