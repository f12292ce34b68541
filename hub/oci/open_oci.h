#pragma once

#include "hub/open_transport.h"

namespace strata::hub {

/// Opens an `oci://` remote. Fails as openTransport.
Result<std::unique_ptr<Transport>> openOci(const RemoteConfig& remote,
                                           const TransportOptions& options);

}  // namespace strata::hub
