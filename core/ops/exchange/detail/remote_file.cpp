#include "core/ops/exchange/detail/remote_file.h"

#include <span>

#include "core/digest.h"
#include "core/transfer/remote_config.h"

namespace strata {

std::filesystem::path remoteFile(const std::filesystem::path& storeFolder, const std::string& name,
                                 std::string_view ending) {
  std::string file =
      isRemoteUrl(name) ? ".url-" + toHex(sha256(std::as_bytes(std::span(name)))) : name;
  return storeFolder / "remotes" / file.append(ending);
}

}  // namespace strata
