#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace strata {

/// An array of numbers that is not cleared first: large ones are filled at once anyway.
template <typename T>
class WordBuffer {
 public:
  WordBuffer() = default;
  explicit WordBuffer(std::size_t size)
      : items_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  T* data() noexcept { return items_.get(); }
  const T* data() const noexcept { return items_.get(); }
  std::size_t size() const noexcept { return size_; }
  operator std::span<T>() noexcept { return {items_.get(), size_}; }
  operator std::span<const T>() const noexcept { return {items_.get(), size_}; }

  /// At least `size` items; what was there is lost.
  void reserve(std::size_t size) {
    if (size_ < size) *this = WordBuffer(size);
  }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0;
};

}  // namespace strata
