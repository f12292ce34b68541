#pragma once

#include <cstring>
#include <string>

#include "core/transfer/remote_object.h"

namespace strata {

/// The bytes of a text that outlives it.
class TextSource final : public ObjectSource {
 public:
  explicit TextSource(const std::string& text) : text_(text) {}
  std::uint64_t byteCount() const noexcept override { return text_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::memcpy(out.data(), text_.data() + offset, out.size());
    return {};
  }

 private:
  const std::string& text_;
};

}  // namespace strata
