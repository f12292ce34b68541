#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "core/progress.h"

namespace strata {

/// Counts bytes from several threads and tells a sink of them at most ten times a second.
class ProgressMeter {
 public:
  ProgressMeter(const ProgressSink& sink, std::string phase, std::uint64_t totalBytes)
      : sink_(sink), phase_(std::move(phase)), totalBytes_(totalBytes) {}

  void add(std::uint64_t bytes, std::string_view item);
  /// Tells the sink whatever the clock says: at the end.
  void finish(std::string_view item);

 private:
  void report(std::string_view item, bool always);

  const ProgressSink& sink_;
  std::string phase_;
  std::uint64_t totalBytes_;
  std::atomic<std::uint64_t> doneBytes_ = 0;
  std::mutex mutex_;  ///< guards last_ and keeps calls of sink_ apart
  std::chrono::steady_clock::time_point last_;
};

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace strata
