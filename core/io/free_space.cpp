#include "core/io/free_space.h"

#include <fmt/format.h>

#include "core/io/os_error.h"
#include "core/text/wording.h"

namespace strata {
namespace {

Result<std::filesystem::space_info> spaceAt(const std::filesystem::path& path) {
  std::error_code status;
  std::filesystem::path folder = std::filesystem::absolute(path, status);
  while (!std::filesystem::exists(folder, status) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const auto space = std::filesystem::space(folder, status);
  if (status) return fail(osError(folder, "ask for free space", status.value()));
  return space;
}

}  // namespace

Result<std::uint64_t> freeBytes(const std::filesystem::path& path) {
  STRATA_TRY(const std::filesystem::space_info space, spaceAt(path));
  return space.available;
}

Result<void> checkFreeSpace(const std::filesystem::path& path, std::uint64_t neededBytes) {
  STRATA_TRY(const std::filesystem::space_info space, spaceAt(path));
  const std::uint64_t available = space.available;
  // Some network file systems do not know their size.
  if (available >= neededBytes || space.capacity == 0) return {};
  return fail(ErrorCode::NoSpace, fmt::format("{}: {} needed, {} free", path.string(),
                                              wordBytes(neededBytes), wordBytes(available)));
}

std::uint64_t bytesUnder(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code status;
  std::filesystem::recursive_directory_iterator entries(folder, status);
  for (; !status && entries != std::filesystem::recursive_directory_iterator();
       entries.increment(status)) {
    std::error_code gone;
    const bool isFile = entries->is_regular_file(gone);
    const std::uintmax_t count = isFile ? entries->file_size(gone) : 0;
    if (!gone) bytes += count;
  }
  return bytes;
}

}  // namespace strata
