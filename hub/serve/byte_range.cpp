#include "hub/serve/byte_range.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace strata::hub {
namespace {

/// A number of decimal digits, nothing else; too large ones become the largest.
std::optional<std::uint64_t> readNumber(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, status] = std::from_chars(text.data(), end, number);
  if (stopped != end) return std::nullopt;
  return status == std::errc::result_out_of_range ? ~std::uint64_t{0} : number;
}

constexpr AskedRange kWhole{};
constexpr AskedRange kUnsatisfiable{AskedRange::Kind::Unsatisfiable, {}};

}  // namespace

AskedRange readRange(std::string_view header, std::uint64_t fileBytes) noexcept {
  constexpr std::string_view kUnit = "bytes=";
  const bool isInBytes =
      header.size() >= kUnit.size() &&
      std::equal(kUnit.begin(), kUnit.end(), header.begin(), [](char unit, char given) {
        return unit == std::tolower(static_cast<unsigned char>(given));
      });
  if (!isInBytes) return kWhole;
  header.remove_prefix(kUnit.size());
  const std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return kWhole;
  const std::string_view firstText = header.substr(0, dash);
  const std::string_view lastText = header.substr(dash + 1);
  const auto first = readNumber(firstText);
  const auto last = readNumber(lastText);
  if ((!first && !firstText.empty()) || (!last && !lastText.empty())) return kWhole;
  if (!first && !last) return kWhole;
  if (!first) {  // the last so many bytes
    const std::uint64_t count = std::min(*last, fileBytes);
    if (count == 0) return kUnsatisfiable;
    return {AskedRange::Kind::Part, {fileBytes - count, count}};
  }
  if (last && *last < *first) return kWhole;
  if (*first >= fileBytes) return kUnsatisfiable;
  const std::uint64_t end = last ? std::min(*last, fileBytes - 1) : fileBytes - 1;
  return {AskedRange::Kind::Part, {*first, end - *first + 1}};
}

}  // namespace strata::hub
