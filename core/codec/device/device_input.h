#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "kernels/device_engine.h"

namespace strata {

/// The input of a DeviceBatch as it grows in the pinned memory of a queue. Once that is exhausted
/// all calls do nothing, and failed() says so.
class DeviceInput {
 public:
  /// The queue is borrowed; what its input held is lost.
  explicit DeviceInput(kernels::DeviceQueue& queue) : queue_(queue) {}

  bool failed() const noexcept { return failed_; }
  std::size_t size() const noexcept { return size_; }
  /// Forgets what was added after the first `size` bytes.
  void rewind(std::size_t size) noexcept { size_ = size; }

  /// Room for `bytes` bytes, aligned for any number. Valid until the next call; empty on failure.
  std::span<std::byte> room(std::size_t bytes) {
    constexpr std::size_t kAlignment = 16;
    begin_ = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    std::byte* const input = failed_ ? nullptr : queue_.input(begin_ + bytes);
    failed_ = input == nullptr;
    if (failed_) return {};
    size_ = begin_ + bytes;
    return {input + begin_, bytes};
  }
  /// Where the last room begins.
  std::uint64_t lastAt() const noexcept { return begin_; }

  /// Copies an array; gives its offset.
  template <typename T>
  std::uint64_t add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<std::byte> to = room(values.size_bytes());
    if (!to.empty()) std::memcpy(to.data(), values.data(), to.size());
    return begin_;
  }
  /// The same, or kNoArray for an empty one.
  template <typename T>
  std::uint64_t addIfAny(std::span<const T> values) {
    return values.empty() ? kernels::kNoArray : add(values);
  }

 private:
  kernels::DeviceQueue& queue_;
  std::size_t size_ = 0;
  std::size_t begin_ = 0;
  bool failed_ = false;
};

}  // namespace strata
