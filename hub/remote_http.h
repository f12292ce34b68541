#pragma once

#include "core/transfer/remote_config.h"
#include "hub/http/http_client.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// How a remote's server is reached.
HttpSettings httpSettingsOf(const RemoteConfig& remote, const TransportOptions& options);

}  // namespace strata::hub
