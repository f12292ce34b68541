#pragma once

#include "hub/open_transport.h"

namespace strata::hub {

/// The transport of a `file://` URL. Fails as openTransport().
Result<std::unique_ptr<Transport>> openFolder(const RemoteConfig& remote,
                                              const TransportOptions& options);

}  // namespace strata::hub
