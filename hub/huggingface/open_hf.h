#pragma once

#include <memory>

#include "core/transfer/model_index.h"
#include "hub/huggingface/hf_api.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// The hub that `remote` names, with the token that the user has for it. Its endpoint is the
/// remote's own, else $HF_ENDPOINT. Fails with InvalidArgument or LoginRequired.
Result<std::unique_ptr<HfApi>> openHfApi(const RemoteConfig& remote,
                                         const TransportOptions& options);
/// A search of the hub: `place.url` is "hf://" for all of it or "hf://ORG".
Result<std::unique_ptr<ModelIndex>> openHfSearch(const RemoteConfig& place,
                                                 const TransportOptions& options);
Result<std::unique_ptr<Transport>> openHfTransport(const RemoteConfig& remote,
                                                   const TransportOptions& options);

}  // namespace strata::hub
