#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/memory.h"

namespace strata {

/// An array of numbers that is not cleared first: large ones are filled at once anyway.
template <typename T>
class WordBuffer {
 public:
  WordBuffer() = default;
  explicit WordBuffer(std::size_t size)
      : items_(static_cast<T*>(allocateWords(size * sizeof(T)))), size_(size) {}

  T* data() noexcept { return items_.get(); }
  const T* data() const noexcept { return items_.get(); }
  std::size_t size() const noexcept { return size_; }
  operator std::span<T>() noexcept { return {items_.get(), size_}; }
  operator std::span<const T>() const noexcept { return {items_.get(), size_}; }

  /// At least `size` items; what was there is lost.
  void reserve(std::size_t size) {
    if (size_ >= size) return;
    *this = WordBuffer();
    *this = WordBuffer(size);
  }
  /// The first `size` items, after reserve().
  std::span<T> first(std::size_t size) {
    reserve(size);
    return {items_.get(), size};
  }

 private:
  struct Free {
    void operator()(T* items) const noexcept { std::free(items); }
  };

  std::unique_ptr<T[], Free> items_;
  std::size_t size_ = 0;
};

}  // namespace strata
