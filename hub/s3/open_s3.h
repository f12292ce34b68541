#pragma once

#include "hub/open_transport.h"

namespace strata::hub {

/// Opens an `s3://` remote: endpoint and region of the remote, the environment or the AWS files.
/// Fails as openTransport.
Result<std::unique_ptr<Transport>> openS3(const RemoteConfig& remote,
                                          const TransportOptions& options);

/// URLs of the remotes that `s3://BUCKET[/PREFIX]` is or holds, one level deep. Fails as openS3 and
/// S3Client's functions.
Result<std::vector<std::string>> bucketFolders(const RemoteConfig& place,
                                               const TransportOptions& options,
                                               const std::stop_token& stop);

}  // namespace strata::hub
