#pragma once

#include <string>

#include "core/result.h"
#include "hub/http/http_client.h"

namespace strata::hub {

/// Adds to an error (failureOf) what helps where an object store refused something: new keys, the
/// bucket's region, a clock that is set. `placesWithoutKeys`: where keys were looked for and none
/// were; empty where the request was signed.
void adviseOnRefusal(const HttpResponse& response, const std::string& placesWithoutKeys,
                     Error& error);

}  // namespace strata::hub
