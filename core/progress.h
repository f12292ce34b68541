#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace strata {

/// Where a long job stands. Bytes are of the original model.
struct Progress {
  std::string phase;  ///< "reading", "encoding", "restoring", "verifying"
  std::string item;   ///< what is being worked on: a tensor, a file, a version
  std::uint64_t doneBytes = 0;
  std::uint64_t totalBytes = 0;
};

/// Called from any thread, one call at a time, at most about ten times a second. May be empty.
using ProgressSink = std::function<void(const Progress&)>;

}  // namespace strata
