#pragma once

#include "core/transfer/remote_config.h"
#include "hub/http/http_client.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// How a remote's server is reached. Whoever reaches one asks here first, before a secret is looked
/// up: fails with InvalidArgument if the remote, or how it would be reached, is a store's own word
/// that nobody confirmed.
Result<HttpSettings> httpSettingsOf(const RemoteConfig& remote, const TransportOptions& options);

}  // namespace strata::hub
