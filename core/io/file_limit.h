#pragma once

namespace strata {

/// Lets this process open more files at once than the thousand that it starts with, as far as the
/// system allows: pulls of many small objects then sync more of them together. For programs that
/// never call select(), which takes no descriptor above 1023; a library leaves this to its host.
void allowManyFiles();

}  // namespace strata
