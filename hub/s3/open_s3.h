#pragma once

#include "hub/open_transport.h"

namespace strata::hub {

/// Opens an `s3://` remote: endpoint and region of the remote, the environment or the AWS files.
/// Fails as openTransport.
Result<std::unique_ptr<Transport>> openS3(const RemoteConfig& remote,
                                          const TransportOptions& options);

}  // namespace strata::hub
