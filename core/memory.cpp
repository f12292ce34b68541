#include "core/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace strata {

void keepFreedMemory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_ARENA_MAX, 8);
}

void giveBackFreedMemory() noexcept { ::malloc_trim(0); }

void* allocateWords(std::size_t byteCount) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLargePage = std::size_t{1} << 21;
  const std::size_t alignment = byteCount < kLargePage ? kLine : kLargePage;
  if (byteCount > SIZE_MAX - alignment) throw std::bad_alloc();
  const std::size_t rounded = (byteCount + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr && rounded != 0) throw std::bad_alloc();
  // Advice only: without it the pages are small.
  if (alignment == kLargePage) static_cast<void>(::madvise(memory, rounded, MADV_HUGEPAGE));
  return memory;
}

}  // namespace strata
