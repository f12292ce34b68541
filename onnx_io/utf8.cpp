#include "onnx_io/utf8.h"

#include <fmt/format.h>

#include <cstdint>

namespace strata {
namespace {

constexpr std::string_view kEllipsis = "…";

}  // namespace

std::string toUtf8(std::string_view text, std::size_t maxBytes) {
  if (text.size() <= maxBytes) {
    std::string whole(text);  // first: the text may lie in a file that is being written
    if (isUtf8(whole)) return whole;
  }
  std::string out;
  while (!text.empty()) {
    const std::size_t count = utf8CharacterBytes(text);
    const std::string next = count == 0
                                 ? fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]))
                                 : std::string(text.substr(0, count));
    if (out.size() + next.size() + kEllipsis.size() > maxBytes) return out.append(kEllipsis);
    out += next;
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return out;
}

}  // namespace strata
