#pragma once

#include "hub/open_transport.h"

namespace strata::hub {

/// Opens an `oci://` remote. Fails as openTransport.
Result<std::unique_ptr<Transport>> openOci(const RemoteConfig& remote,
                                           const TransportOptions& options);

/// URLs of all repositories of `oci://HOST`. Fails as openOci and OciClient::repositories.
Result<std::vector<std::string>> registryRepositories(const RemoteConfig& place,
                                                      const TransportOptions& options,
                                                      const std::stop_token& stop);

}  // namespace strata::hub
