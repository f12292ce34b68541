#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace strata {

/// What reading a block of a part takes (docs/FORMAT.md, "Block reads").
struct PartBlockReads {
  std::uint32_t reads = 0;       ///< blocks decoded for one of it, its own counted
  std::uint32_t blockWords = 0;  ///< of every block but the last
};

/// The block reads of the parts that were counted, by tensor and number. For several threads.
class BlockReadMemo {
 public:
  std::optional<PartBlockReads> find(std::uint32_t tensor, std::uint32_t part) const {
    const std::lock_guard lock(mutex_);
    const auto found = parts_.find(keyOf(tensor, part));
    if (found == parts_.end()) return std::nullopt;
    return found->second;
  }

  void keep(std::uint32_t tensor, std::uint32_t part, const PartBlockReads& reads) {
    const std::lock_guard lock(mutex_);
    parts_.insert_or_assign(keyOf(tensor, part), reads);
  }

 private:
  static std::uint64_t keyOf(std::uint32_t tensor, std::uint32_t part) noexcept {
    return std::uint64_t{tensor} << 32 | part;
  }

  mutable std::mutex mutex_;  ///< guards `parts_`
  std::unordered_map<std::uint64_t, PartBlockReads> parts_;
};

}  // namespace strata
