#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace strata {

/// A list that is mostly empty: it takes one pointer then. For structs that there are millions of.
template <typename T>
class RareList {
 public:
  RareList() = default;
  RareList(const RareList& other) {
    if (!other.empty()) items_ = std::make_unique<std::vector<T>>(*other.items_);
  }
  RareList(RareList&&) noexcept = default;
  RareList& operator=(const RareList& other) { return *this = RareList(other); }
  RareList& operator=(RareList&&) noexcept = default;
  ~RareList() = default;

  bool empty() const noexcept { return items_ == nullptr; }
  std::size_t size() const noexcept { return empty() ? 0 : items_->size(); }
  std::span<const T> view() const noexcept { return empty() ? std::span<const T>() : *items_; }
  std::span<T> items() noexcept { return empty() ? std::span<T>() : *items_; }

  T& append(T item) {
    if (empty()) items_ = std::make_unique<std::vector<T>>();
    return items_->emplace_back(std::move(item));
  }
  void clear() noexcept { items_.reset(); }

  friend bool operator==(const RareList& a, const RareList& b) {
    return a.empty() || b.empty() ? a.empty() == b.empty() : *a.items_ == *b.items_;
  }

 private:
  std::unique_ptr<std::vector<T>> items_;  ///< null or not empty
};

}  // namespace strata
