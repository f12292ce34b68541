#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "core/result.h"

namespace strata {

/// What was made last, by key, for several threads.
template <typename Key, typename Value>
class SharedCache {
 public:
  explicit SharedCache(std::size_t capacity) : capacity_(capacity) {}

  /// The value of `key`, made by `make` if it is not here. While one thread makes it, others that
  /// want it wait; different values are made at the same time.
  ///
  /// `make` may ask this and other caches for values that what it makes stands on. Nothing stands
  /// on itself, so no thread waits for one that waits for it.
  template <typename Make>
  Result<std::shared_ptr<Value>> get(const Key& key, Make&& make) {
    const std::shared_ptr<Slot> slot = slotOf(key);
    const std::lock_guard lock(slot->mutex);
    if (slot->value == nullptr) {
      STRATA_TRY(slot->value, make());
    }
    return slot->value;
  }

 private:
  struct Slot {
    explicit Slot(const Key& its) : key(its) {}
    Key key;
    std::mutex mutex;  ///< guards `value`
    std::shared_ptr<Value> value;
  };

  std::shared_ptr<Slot> slotOf(const Key& key) {
    const std::lock_guard lock(mutex_);
    for (auto it = slots_.begin(); it != slots_.end(); ++it) {
      if ((*it)->key != key) continue;
      slots_.splice(slots_.begin(), slots_, it);
      return slots_.front();
    }
    slots_.push_front(std::make_shared<Slot>(key));
    std::shared_ptr<Slot> slot = slots_.front();
    if (slots_.size() > capacity_) slots_.pop_back();
    return slot;
  }

  std::size_t capacity_;
  std::mutex mutex_;  ///< guards `slots_`
  std::list<std::shared_ptr<Slot>> slots_;
};

}  // namespace strata
