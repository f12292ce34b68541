#include "core/ops/inspect/detail/memory_peak.h"

#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>

namespace strata {
namespace {

constexpr std::chrono::milliseconds kPause{4};

/// proc(5), statm: pages of the program, those in memory, and of them those of files.
std::uint64_t anonymousBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0, ofFiles = 0;
  if (!(file >> all >> resident >> ofFiles) || ofFiles > resident) return 0;
  return (resident - ofFiles) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryPeak::MemoryPeak() {
  ::malloc_trim(0);
  peak_ = anonymousBytes();
  watcher_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any over;
    std::unique_lock lock(mutex);
    while (!over.wait_for(lock, stop, kPause, [] { return false; }) && !stop.stop_requested()) {
      peak_ = std::max(peak_.load(), anonymousBytes());
    }
  });
}

}  // namespace strata
