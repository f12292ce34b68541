#include "hub/folder/open_folder.h"

#include "hub/folder/folder_transport.h"

namespace strata::hub {

Result<std::unique_ptr<Transport>> openFolder(const RemoteConfig& remote,
                                              const TransportOptions& options) {
  STRATA_TRY(checkConfirmed(remote));
  STRATA_TRY(const std::string folder, folderOfUrl(remote.url));
  return std::make_unique<FolderTransport>(folder, options.bytesPerSecond, systemClock(),
                                           options.onWait);
}

}  // namespace strata::hub
