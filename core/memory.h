#pragma once

#include <cstddef>

namespace strata {

/// Tells the allocator to keep large blocks that were freed for the next ones instead of giving
/// their pages back: parts of a model follow each other with the same sizes, and clearing fresh
/// pages for each took a quarter of the time of a restore. Once, at the start of a program.
void keepFreedMemory() noexcept;

/// Gives back the pages of what was freed, all the same: what one stage of work took is else kept
/// beside what the next one takes. For stages that free hundreds of thousands of small blocks.
void giveBackFreedMemory() noexcept;

/// Memory for `byteCount` bytes, large pages where that pays; to be freed with std::free. Throws
/// std::bad_alloc.
void* allocateWords(std::size_t byteCount);

}  // namespace strata
