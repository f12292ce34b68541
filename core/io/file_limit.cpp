#include "core/io/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace strata {

void allowManyFiles() {
  constexpr rlim_t kWanted = 32768;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return;
  limit.rlim_cur = std::min(kWanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace strata
