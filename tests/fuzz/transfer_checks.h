#pragma once

#include <string>
#include <vector>

#include "core/transfer/transport.h"

namespace strata::test {

/// Asks a remote for objects and fetches them, from their beginning and from within. Empty, or
/// which promise of Transport it broke: it has no others than were asked for, and gives no byte too
/// many.
std::string brokenByObjects(Transport& remote, const std::vector<RemoteObject>& objects);

}  // namespace strata::test
