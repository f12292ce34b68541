#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/read/gather_cache.h"
#include "core/codec/codec.h"
#include "core/result.h"

namespace strata {

/// A part that is ready to be decoded: its tables built, an awkward view of its parent gathered.
struct OpenPart {
  PartShape shape;
  CodecId codec = CodecId::Same;
  std::unique_ptr<PartDecoder> decoder;  ///< null for codec `same`
  const PackSection* section = nullptr;  ///< what the decoder reads; of the manifest
  bool hasView = false;
  PartView view;
  GatherCache::Words group;             ///< what `gathered` lies in
  std::span<const std::byte> gathered;  ///< all parent words, where the view is not contiguous

  std::mutex mutex;  ///< guards the two below
  std::uint64_t cachedBlock = ~std::uint64_t{0};
  std::vector<std::byte> cached;  ///< the last block of which only some words were asked for
};

/// The parts that were opened last, so that reading a tensor in pieces opens each part once.
class PartCache {
 public:
  explicit PartCache(std::size_t capacity) : capacity_(capacity) {}

  /// The part of number `key`, opened by `open` if it is not here. While one thread opens a part,
  /// others that want it wait; different parts open at the same time.
  template <typename Open>
  Result<std::shared_ptr<OpenPart>> get(std::uint64_t key, Open&& open) {
    const std::shared_ptr<Slot> slot = slotOf(key);
    const std::lock_guard lock(slot->mutex);
    if (slot->part == nullptr) {
      STRATA_TRY(slot->part, open());
    }
    return slot->part;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::mutex mutex;  ///< guards `part`
    std::shared_ptr<OpenPart> part;
  };

  std::shared_ptr<Slot> slotOf(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    for (auto it = slots_.begin(); it != slots_.end(); ++it) {
      if ((*it)->key != key) continue;
      slots_.splice(slots_.begin(), slots_, it);
      return slots_.front();
    }
    auto slot = std::make_shared<Slot>();
    slot->key = key;
    slots_.push_front(slot);
    if (slots_.size() > capacity_) slots_.pop_back();
    return slot;
  }

  std::size_t capacity_;
  std::mutex mutex_;  ///< guards `slots_`
  std::list<std::shared_ptr<Slot>> slots_;
};

}  // namespace strata
