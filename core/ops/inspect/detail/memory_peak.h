#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace strata {

/// Watches this process' working memory while it lives: anonymous resident pages, without those of
/// files. Asked every few milliseconds, so a shorter peak may go unseen.
class MemoryPeak {
 public:
  /// Gives memory back first that the allocator has kept from earlier work.
  MemoryPeak();

  /// The most so far, in bytes; 0 where the system does not tell.
  std::uint64_t bytes() const noexcept { return peak_; }

 private:
  std::atomic<std::uint64_t> peak_ = 0;
  std::jthread watcher_;
};

}  // namespace strata
