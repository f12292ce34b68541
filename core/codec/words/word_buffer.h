#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

/// A buffer of the thread, given back to it in the end: fresh pages cost more than what is done
/// with them.
template <typename T>
class LentBuffer {
 public:
  LentBuffer() {
    std::vector<WordBuffer<T>>& free = ofThread();
    if (free.empty()) return;
    buffer_ = std::move(free.back());
    free.pop_back();
  }
  ~LentBuffer() {
    if (buffer_.data() != nullptr) ofThread().push_back(std::move(buffer_));
  }
  LentBuffer(LentBuffer&&) noexcept = default;
  LentBuffer(const LentBuffer&) = delete;
  LentBuffer& operator=(const LentBuffer&) = delete;

  WordBuffer<T>& operator*() noexcept { return buffer_; }
  WordBuffer<T>* operator->() noexcept { return &buffer_; }
  const WordBuffer<T>* operator->() const noexcept { return &buffer_; }

 private:
  static std::vector<WordBuffer<T>>& ofThread() {
    thread_local std::vector<WordBuffer<T>> free;
    return free;
  }

  WordBuffer<T> buffer_;
};

}  // namespace strata
