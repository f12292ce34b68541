#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "core/archive/objects.h"

namespace strata {

/// Takes objects, hashes and counts them, and keeps nothing: for a dry run.
class DiscardedObjects final : public ObjectWriter {
 public:
  DiscardedObjects() = default;
  /// Takes at most `mostBytes` in all: what is more fails with LimitExceeded, so that finding out
  /// that something is larger costs little. It must outlive its objects.
  explicit DiscardedObjects(std::uint64_t mostBytes) : mostBytes_(mostBytes) {}

  Result<std::unique_ptr<NewObject>> createObject() override;

 private:
  std::uint64_t mostBytes_ = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace strata
