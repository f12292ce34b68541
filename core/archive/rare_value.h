#pragma once

#include <memory>
#include <utility>

namespace strata {

/// A value that is mostly absent: it takes one pointer then. For structs that there are millions
/// of.
template <typename T>
class RareValue {
 public:
  RareValue() = default;
  RareValue(const RareValue& other) {
    if (other) value_ = std::make_unique<T>(*other);
  }
  RareValue(RareValue&&) noexcept = default;
  RareValue& operator=(const RareValue& other) { return *this = RareValue(other); }
  RareValue& operator=(RareValue&&) noexcept = default;
  RareValue& operator=(T value) {
    value_ = std::make_unique<T>(std::move(value));
    return *this;
  }
  ~RareValue() = default;

  explicit operator bool() const noexcept { return value_ != nullptr; }
  const T& operator*() const noexcept { return *value_; }
  const T* operator->() const noexcept { return value_.get(); }
  void reset() noexcept { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace strata
