#include "core/io/durable_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::optional<dev_t> fileSystemOf(const fs::path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  return info.st_dev;
}

}  // namespace

Result<void> makeDurableFolder(const fs::path& folder) {
  STRATA_TRY(makeStoreFolder(folder));
  std::error_code status;
  const fs::path whole = fs::canonical(folder, status);
  if (status) return fail(osError(folder, "look at", status.value()));
  const auto device = fileSystemOf(whole);
  for (fs::path above = whole.parent_path(); fileSystemOf(above) == device;
       above = above.parent_path()) {
    if (::access(above.c_str(), R_OK) == 0) STRATA_TRY(syncFolder(above));
    if (above == above.parent_path()) break;
  }
  return {};
}

Result<void> makeSyncedFolder(const fs::path& folder) {
  STRATA_TRY(makeStoreFolder(folder));
  return syncFolder(folder.parent_path());
}

}  // namespace strata
