#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "hub/serve/piece_memory.h"

namespace strata::hub {

/// Which piece of a restored file: the files of a content are the same wherever it is stored.
struct PieceKey {
  Digest content;
  std::uint32_t file = 0;
  std::uint32_t piece = 0;
  friend bool operator==(const PieceKey&, const PieceKey&) = default;
};

/// Restored pieces of files, those that were used last, within a number of bytes. A piece that
/// several clients want is decoded once. Safe to use from any thread.
class PieceCache {
 public:
  using Piece = std::shared_ptr<const PieceMemory>;
  using Decode = std::function<Result<void>(std::span<std::byte>)>;

  explicit PieceCache(std::uint64_t mostBytes) : mostBytes_(mostBytes) {}

  /// The piece, made by `decode` if it is not here. Waits for another thread that makes it.
  /// Fails with what `decode` fails with; the next call then tries again.
  Result<Piece> get(const PieceKey& key, std::uint64_t byteCount, const Decode& decode);

  /// The piece if it is here; null if it is not, or only in the making.
  Piece find(const PieceKey& key);
  /// Whether get() would find it, or find it in the making.
  bool knows(const PieceKey& key) const;

 private:
  struct Hash {
    std::size_t operator()(const PieceKey& key) const noexcept;
  };
  using Memory = std::shared_ptr<PieceMemory>;
  struct Slot {
    PieceKey key;
    Memory piece;  // null while it is made
    std::uint64_t byteCount = 0;
  };
  using Slots = std::list<Slot>;

  void dropOldest();
  Memory takeSpare(std::uint64_t byteCount);

  const std::uint64_t mostBytes_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable made_;
  Slots slots_;  // the newest first
  std::unordered_map<PieceKey, Slots::iterator, Hash> places_;
  std::uint64_t heldBytes_ = 0;
  std::vector<Memory> spare_;  // of pieces that were dropped, for the next ones; a few
};

}  // namespace strata::hub
