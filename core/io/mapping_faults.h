#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace strata {

/// A mapping that the process watches. Made by watchMapping() only.
struct WatchedMapping {
  std::atomic<std::uintptr_t> begin = 0;  ///< 0: not in use
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> hasFailed = false;
};

/// Watches a mapping of a file until forgetMapping(): a page of it that the system cannot deliver,
/// because the disk fails or the file was cut, reads as zeros from then on, and `hasFailed` tells.
/// Without that the process would be killed by SIGBUS.
///
/// The first call installs a handler of SIGBUS for the process. The handler passes faults anywhere
/// else on to the one that was there before. A host program that wants a handler of its own
/// installs it before that call, or has its handler call the one that it replaces.
/// Safe to call from any thread.
WatchedMapping& watchMapping(const void* begin, std::size_t byteCount);

/// Call before the mapping goes.
void forgetMapping(WatchedMapping& mapping) noexcept;

}  // namespace strata
