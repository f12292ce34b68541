#include "hub/serve/piece_cache.h"

#include <algorithm>
#include <iterator>

namespace strata::hub {
namespace {

constexpr std::ptrdiff_t kMostSpare = 8;

}  // namespace

std::size_t PieceCache::Hash::operator()(const PieceKey& key) const noexcept {
  const std::uint64_t place = std::uint64_t{key.file} << 32 | key.piece;
  return std::hash<Digest>{}(key.content) ^ std::hash<std::uint64_t>{}(place * 0x9e3779b97f4a7c15);
}

Result<PieceCache::Piece> PieceCache::get(const PieceKey& key, std::uint64_t byteCount,
                                          const Decode& decode) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = places_.find(key);
    if (found == places_.end()) break;
    if (Piece piece = found->second->piece) {
      slots_.splice(slots_.begin(), slots_, found->second);
      return piece;
    }
    made_.wait(lock);
  }
  slots_.push_front({key, nullptr, byteCount});
  const auto slot = slots_.begin();
  places_.emplace(key, slot);
  heldBytes_ += byteCount;
  dropOldest();
  Memory made = takeSpare(byteCount);
  lock.unlock();

  if (made == nullptr) made = std::make_shared<PieceMemory>(byteCount);
  const Result<void> decoded = decode(made->bytes());

  lock.lock();
  if (decoded) {
    slot->piece = made;
  } else {
    heldBytes_ -= byteCount;
    places_.erase(key);
    slots_.erase(slot);
  }
  lock.unlock();
  made_.notify_all();
  if (!decoded) return fail(decoded.error());
  return Piece(std::move(made));
}

PieceCache::Piece PieceCache::find(const PieceKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end() || found->second->piece == nullptr) return nullptr;
  slots_.splice(slots_.begin(), slots_, found->second);
  return slots_.front().piece;
}

bool PieceCache::knows(const PieceKey& key) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(key);
}

/// Those being made stay: somebody waits for them.
void PieceCache::dropOldest() {
  for (auto slot = slots_.end(); heldBytes_ > mostBytes_ && slot != slots_.begin();) {
    --slot;
    if (slot->piece == nullptr) continue;
    heldBytes_ -= slot->byteCount;
    // Nobody who sends it may find another piece in it.
    if (slot->piece.use_count() == 1) spare_.push_back(std::move(slot->piece));
    places_.erase(slot->key);
    slot = slots_.erase(slot);
  }
  if (std::ssize(spare_) > kMostSpare) spare_.erase(spare_.begin(), spare_.end() - kMostSpare);
}

/// Null if none fits.
PieceCache::Memory PieceCache::takeSpare(std::uint64_t byteCount) {
  const auto found = std::find_if(spare_.rbegin(), spare_.rend(),
                                  [&](const Memory& one) { return one->fits(byteCount); });
  if (found == spare_.rend()) return nullptr;
  Memory spare = std::move(*found);
  spare_.erase(std::next(found).base());
  spare->reuse(byteCount);
  return spare;
}

}  // namespace strata::hub
