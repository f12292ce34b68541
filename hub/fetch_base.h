#pragma once

#include <stop_token>

#include "core/model/model_source.h"
#include "core/ops/versions/import_base.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// Fetches a base that a remote does not hold from where it lies, and stores it; the user has
/// agreed to that place. `options` say how it is coded. A kill on the way leaves the base or
/// nothing, and `gc` frees what had come. Fails as ModelFromHub::fetch, `open`, importElsewhere.
Result<AddReport> fetchBase(Store& store, const BaseElsewhere& base, ImportOptions options,
                            const TransportOptions& transfers, const ModelOpener& open,
                            std::stop_token stop, const ProgressSink& progress);

}  // namespace strata::hub
