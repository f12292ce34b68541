#include "core/model/file_bytes.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace strata {

FileBytes::FileBytes(std::span<const std::byte> whole)
    : byteCount_(whole.size()), first_{0, whole} {}

FileBytes::FileBytes(const std::vector<std::span<const std::byte>>& runs) {
  for (const std::span<const std::byte> run : runs) {
    if (run.empty()) continue;
    if (byteCount_ == 0) {
      first_.bytes = run;
    } else {
      rest_.push_back({byteCount_, run});
    }
    byteCount_ += run.size();
  }
}

/// 0 is the first run, others are those of rest_.
std::size_t FileBytes::runAt(std::uint64_t offset) const noexcept {
  const auto behind =
      std::upper_bound(rest_.begin(), rest_.end(), offset,
                       [](std::uint64_t place, const Run& run) { return place < run.offset; });
  return static_cast<std::size_t>(behind - rest_.begin());
}

std::span<const std::byte> FileBytes::of(std::uint64_t offset,
                                         std::uint64_t byteCount) const noexcept {
  if (byteCount == 0) return {};
  const std::size_t index = runAt(offset);
  const Run& run = index == 0 ? first_ : rest_[index - 1];
  assert(offset - run.offset + byteCount <= run.bytes.size());
  return run.bytes.subspan(offset - run.offset, byteCount);
}

void FileBytes::copy(std::uint64_t offset, std::span<std::byte> out) const noexcept {
  for (std::size_t index = runAt(offset); !out.empty(); ++index) {
    const Run& run = index == 0 ? first_ : rest_[index - 1];
    const auto from = run.bytes.subspan(offset - run.offset);
    const std::size_t count = std::min(from.size(), out.size());
    std::memcpy(out.data(), from.data(), count);
    out = out.subspan(count);
    offset += count;
  }
}

void FileBytes::forEachRun(std::uint64_t offset, std::uint64_t end,
                           const std::function<void(std::span<const std::byte>)>& take) const {
  for (std::size_t index = runAt(offset); offset < end; ++index) {
    const Run& run = index == 0 ? first_ : rest_[index - 1];
    const auto from = run.bytes.subspan(offset - run.offset);
    const auto piece = from.first(std::min<std::uint64_t>(from.size(), end - offset));
    take(piece);
    offset += piece.size();
  }
}

}  // namespace strata
