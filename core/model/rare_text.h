#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace strata {

/// A text that is mostly empty: it takes one pointer then, a quarter of a std::string. For structs
/// that there are millions of.
class RareText {
 public:
  RareText() = default;
  RareText(std::string_view text) { append(text); }  // NOLINT: a text like any other
  RareText(const RareText& other) : RareText(other.view()) {}
  RareText(RareText&&) noexcept = default;
  RareText& operator=(const RareText& other) { return *this = RareText(other); }
  RareText& operator=(RareText&&) noexcept = default;
  RareText& operator=(std::string_view text) { return *this = RareText(text); }
  ~RareText() = default;

  bool empty() const noexcept { return text_ == nullptr; }
  std::string_view view() const noexcept { return empty() ? std::string_view() : *text_; }

  void append(std::string_view text) {
    if (text.empty()) return;
    if (empty()) text_ = std::make_unique<std::string>();
    text_->append(text);
  }

  friend bool operator==(const RareText& a, const RareText& b) { return a.view() == b.view(); }

 private:
  std::unique_ptr<std::string> text_;  ///< null or not empty
};

}  // namespace strata
