#include "core/model/content_hash.h"

namespace strata {

void ContentHash::add(std::string_view path, std::uint64_t byteCount,
                      std::span<const std::byte> sha256) {
  constexpr std::byte kNul{0};
  std::array<std::byte, 8> size{};
  for (std::size_t i = 0; i < size.size(); ++i) {
    size[i] = static_cast<std::byte>(byteCount >> (8 * i));
  }
  hash_.update(std::as_bytes(std::span(path)));
  hash_.update(std::span(&kNul, 1));
  hash_.update(size);
  hash_.update(sha256);
}

}  // namespace strata
