#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/result.h"

namespace strata {

using Skeleton = std::shared_ptr<const std::vector<std::byte>>;

/// The skeletons that were decoded last, as many as fit into a number of bytes together; at least
/// one. So a reader's memory does not grow with the number of its files.
class SkeletonCache {
 public:
  explicit SkeletonCache(std::uint64_t mostBytes) : mostBytes_(mostBytes) {}

  /// The skeleton of a file, made by `decode` if it is not here. Others that want one wait.
  template <typename Decode>
  Result<Skeleton> get(std::size_t file, Decode&& decode) {
    const std::lock_guard lock(mutex_);
    if (Skeleton held = findHeld(file)) return held;
    STRATA_TRY(std::vector<std::byte> bytes, decode());
    held_.emplace_front(file, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
    heldBytes_ += held_.front().second->size();
    const Skeleton made = held_.front().second;
    while (heldBytes_ > mostBytes_ && held_.size() > 1) {
      heldBytes_ -= held_.back().second->size();
      held_.pop_back();
    }
    return made;
  }

  /// Null if it is not here.
  Skeleton find(std::size_t file) {
    const std::lock_guard lock(mutex_);
    return findHeld(file);
  }

 private:
  Skeleton findHeld(std::size_t file) {
    for (auto it = held_.begin(); it != held_.end(); ++it) {
      if (it->first != file) continue;
      held_.splice(held_.begin(), held_, it);
      return held_.front().second;
    }
    return nullptr;
  }

  std::uint64_t mostBytes_;
  std::mutex mutex_;                                  ///< guards the two below
  std::list<std::pair<std::size_t, Skeleton>> held_;  ///< the newest first
  std::uint64_t heldBytes_ = 0;
};

}  // namespace strata
