#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace strata {

/// The dimensions of a tensor, outermost first; none for a scalar. A list that never changes.
///
/// Copies share the list, which is why it is a shared_ptr: a model may have a million tensors, and
/// few shapes.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::uint64_t> dimensions)
      : Shape(std::span(dimensions.begin(), dimensions.size())) {}
  Shape(const std::vector<std::uint64_t>& dimensions)  // NOLINT: a shape like any other
      : Shape(std::span(dimensions)) {}
  explicit Shape(std::span<const std::uint64_t> dimensions) {
    if (dimensions.empty()) return;
    const auto list = std::make_shared_for_overwrite<std::uint64_t[]>(dimensions.size() + 1);
    list[0] = dimensions.size();
    std::ranges::copy(dimensions, &list[1]);
    list_ = list;
  }

  std::size_t size() const noexcept { return list_ == nullptr ? 0 : list_[0]; }
  bool empty() const noexcept { return list_ == nullptr; }
  const std::uint64_t* data() const noexcept { return list_ == nullptr ? nullptr : &list_[1]; }
  const std::uint64_t* begin() const noexcept { return data(); }
  const std::uint64_t* end() const noexcept { return data() + size(); }
  std::uint64_t operator[](std::size_t index) const noexcept { return list_[index + 1]; }

  operator std::vector<std::uint64_t>() const { return {begin(), end()}; }  // NOLINT: likewise

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return a.list_ == b.list_ || std::ranges::equal(a, b);
  }
  friend bool operator==(const Shape& a, const std::vector<std::uint64_t>& b) noexcept {
    return std::ranges::equal(a, b);
  }
  friend std::strong_ordering operator<=>(const Shape& a, const Shape& b) noexcept {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::shared_ptr<const std::uint64_t[]> list_;  ///< their count, then they; null: there are none
};

}  // namespace strata
