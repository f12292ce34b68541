#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "hub/http/wait_notice.h"

namespace strata::hub {

/// How transfers run, whatever the remote.
struct TransportOptions {
  unsigned parallel = 4;                     ///< transfers at once
  std::uint64_t bytesPerSecond = 0;          ///< of all together; 0: no limit
  std::uint64_t leastBytesPerSecond = 1000;  ///< of each, or it is given up; not of folders
  bool offline = false;                      ///< the network is not used; folders are
  std::string proxy = {};                    ///< empty: http_proxy, https_proxy, no_proxy
  std::string realms = {};                   ///< of registries; as HttpSettings::realms
  std::string unconfirmed = {};              ///< why no server may be asked; empty: nothing is
  std::string version = {};                  ///< of the program, for servers' logs
  std::vector<std::string> siblings = {};    ///< URLs of remotes that may have objects already
  std::filesystem::path stateFolder = {};    ///< for what a later run goes on with; empty: nothing
  bool privateIfMade = true;                 ///< a repository that a push makes is not public
  WaitNotice onWait = {};                    ///< told before it waits for other programs
};

/// Before a URL becomes a remote: fails with InvalidArgument for a folder inside a store, whose
/// files a push would lie among.
Result<void> checkRemotePlace(std::string_view url);

/// The URL of a folder as all of its spellings have it: without "..", links and a slash at the end,
/// as far as the folder is there. Other URLs as they are.
std::string normalPlace(std::string_view url);

/// A word that names a remote, with the URL of the folder where it is a path: "/mnt/share",
/// "./share", "..". Other words as they are.
std::string remoteWord(std::string_view word);

/// Before a store is made in a folder: fails with InvalidArgument where that is a remote, or lies
/// in one, among whose files those of the store would lie.
Result<void> refuseInsideRemote(const std::filesystem::path& folder);

/// The transport of a remote. Reaches for nothing yet.
/// Fails with InvalidArgument (its URL, checkRemotePlace, or a store's own word that nobody
/// confirmed), LoginRequired (credentials that cannot be read).
Result<std::unique_ptr<Transport>> openTransport(const RemoteConfig& remote,
                                                 const TransportOptions& options);

/// The folder that a `file://` URL names. Fails with InvalidArgument: a broken percent code.
Result<std::string> folderOfUrl(std::string_view url);

}  // namespace strata::hub
