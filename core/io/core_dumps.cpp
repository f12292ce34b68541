#include "core/io/core_dumps.h"

#include <sys/prctl.h>

namespace strata {

// RLIMIT_CORE would not do: a handler of core dumps gets them whatever that limit is.
void forbidCoreDumps() noexcept { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace strata
