#include "core/transfer/fetched_models.h"

#include "core/digest.h"
#include "core/io/failed_as.h"
#include "core/io/free_space.h"
#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "partial";
constexpr std::string_view kBegin = "model-";

}  // namespace

fs::path fetchedModelFolder(const fs::path& storeFolder, std::string_view url) {
  return storeFolder / kPlace /
         (std::string(kBegin) + toHex(sha256(std::as_bytes(std::span(url)))));
}

Result<std::vector<FetchedModelFolder>> fetchedModelFolders(const fs::path& storeFolder) {
  std::vector<FetchedModelFolder> folders;
  const fs::path place = storeFolder / kPlace;
  std::error_code status;
  fs::directory_iterator entries(place, status);
  if (failedAs(status, std::errc::no_such_file_or_directory)) return folders;
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const fs::path& path = entries->path();
    std::error_code gone;
    if (!path.filename().string().starts_with(kBegin) || !entries->is_directory(gone)) continue;
    folders.push_back({path, bytesUnder(path)});
  }
  if (status) return fail(osError(place, "list", status.value()));
  return folders;
}

}  // namespace strata
