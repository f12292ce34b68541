#pragma once

#include <map>
#include <string>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// Objects that listed versions of a store need, with the label of one of them.
using HereAlone = std::map<Digest, std::string>;

/// Those of versions, and of what they stand on, whose contents a remote does not list, and which
/// this store has not taken off there (RefListing::takenOff). Looks at no file of the remote.
/// Fails as the catalog.
Result<HereAlone> findHereAlone(const Store& store, const RefListing& listing);

}  // namespace strata
