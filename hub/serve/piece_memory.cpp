#include "hub/serve/piece_memory.h"

#include <sys/mman.h>

#include <new>

namespace strata::hub {

PieceMemory::PieceMemory(std::size_t byteCount) : capacity_(byteCount) {
  if (byteCount == 0) return;
  // All pages at once: they are filled at once, too.
  void* const pages = ::mmap(nullptr, byteCount, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  bytes_ = {static_cast<std::byte*>(pages), byteCount};
}

PieceMemory::~PieceMemory() {
  if (capacity_ > 0) ::munmap(bytes_.data(), capacity_);
}

bool PieceMemory::fits(std::size_t byteCount) const noexcept {
  return byteCount <= capacity_ && byteCount > 0 && capacity_ - byteCount <= byteCount / 4;
}

}  // namespace strata::hub
