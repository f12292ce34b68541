#include "core/memory.h"

#include <malloc.h>

namespace strata {

void keepFreedMemory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_ARENA_MAX, 8);
}

}  // namespace strata
