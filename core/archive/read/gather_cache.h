#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.h"

namespace strata {

/// Words gathered from a parent for some parts in a row, kept while one of them is open.
class GatherCache {
 public:
  using Words = std::shared_ptr<const std::vector<std::byte>>;

  /// The words of number `key`, made by `gather` if nobody holds them. While one thread gathers,
  /// others that want the same wait.
  template <typename Gather>
  Result<Words> get(std::uint64_t key, Gather&& gather) {
    const std::shared_ptr<Slot> slot = slotOf(key);
    const std::lock_guard lock(slot->mutex);
    if (Words held = slot->words.lock()) return held;
    STRATA_TRY(std::vector<std::byte> gathered, gather());
    auto words = std::make_shared<const std::vector<std::byte>>(std::move(gathered));
    slot->words = words;
    return Words(std::move(words));
  }

 private:
  struct Slot {
    std::mutex mutex;  ///< guards `words`
    std::weak_ptr<const std::vector<std::byte>> words;
  };

  std::shared_ptr<Slot> slotOf(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    auto& slot = slots_[key];
    if (slot == nullptr) slot = std::make_shared<Slot>();
    return slot;
  }

  std::mutex mutex_;  ///< guards `slots_`
  std::map<std::uint64_t, std::shared_ptr<Slot>> slots_;
};

}  // namespace strata
