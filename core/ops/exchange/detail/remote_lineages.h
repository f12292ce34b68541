#pragma once

#include <set>
#include <vector>

#include "core/transfer/remote_library.h"

namespace strata {

/// Versions and parents of a remote that would be left once those in `leaving` are gone, and whose
/// lineages lead to no base then, but back to themselves or to what went: nobody could restore
/// them. What the remote does not list at all counts as there. Whoever takes something off a remote
/// or checks it asks this, and nothing else. In the order of `library.all()`.
std::vector<const RemoteVersion*> strandedThere(const RemoteLibrary& library,
                                                const std::set<const RemoteVersion*>& leaving = {});

}  // namespace strata
