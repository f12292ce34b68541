#pragma once

#include <memory>
#include <string_view>

#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// A kind of place that can be a remote. A new one is a folder of hub/, a row in remote_kinds.cpp
/// and a case in tests/hub/test_transports.py.
struct RemoteKind {
  std::string_view scheme;   ///< what its URLs begin with: "s3://"
  std::string_view example;  ///< for people: "s3://BUCKET/PREFIX"
  /// As openTransport(), of a URL that was checked.
  Result<std::unique_ptr<Transport>> (*open)(const RemoteConfig& remote,
                                             const TransportOptions& options);
};

/// The kind of a URL. Fails with InvalidArgument, saying what there is.
Result<const RemoteKind*> kindOfRemote(std::string_view url);

}  // namespace strata::hub
