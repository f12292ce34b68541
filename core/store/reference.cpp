#include "core/store/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text/utf8_check.h"

namespace strata {
namespace {

constexpr std::size_t kMostNameBytes = 100;
constexpr std::size_t kMostTextBytes = 10'000;

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

bool isNameCharacter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '.' || c == '_' ||
         c == '-';
}

/// For error texts: at most 40 characters, anything unprintable as '?'.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + shown + (text.size() > 40 ? "…\"" : "\"");
}

Result<void> checkWord(std::string_view what, std::string_view word) {
  const auto refuse = [&](std::string_view rule) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} {}: {}", what, quoted(word), rule));
  };
  if (word.empty()) return fail(ErrorCode::InvalidArgument, fmt::format("the {} is empty", what));
  if (word.size() > kMostNameBytes) {
    return refuse(fmt::format("has {} bytes, at most {} are allowed", word.size(), kMostNameBytes));
  }
  if (!std::all_of(word.begin(), word.end(), isNameCharacter)) {
    return refuse("only letters, digits, '.', '_' and '-' are allowed");
  }
  if (word[0] == '.' || word[0] == '-') return refuse("must not start with '.' or '-'");
  return {};
}

std::optional<std::uint32_t> parseNumber(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size()) return {};
  return number;
}

bool looksLikeNumber(std::string_view tag) noexcept {
  return tag.size() > 1 && tag[0] == 'v' && std::all_of(tag.begin() + 1, tag.end(), isDigit);
}

Result<Reference> parseHash(std::string_view digits) {
  std::string hash(digits);
  std::transform(hash.begin(), hash.end(), hash.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  const bool isHex = hash.find_first_not_of("0123456789abcdef") == hash.npos;
  if (!isHex || hash.size() < 4 || hash.size() > 64) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: a hash is 4 to 64 hexadecimal digits", quoted(digits)));
  }
  Reference reference;
  reference.kind = Reference::Kind::Hash;
  reference.hash = std::move(hash);
  return reference;
}

}  // namespace

Result<void> checkName(std::string_view name) { return checkWord("name", name); }

Result<void> checkTag(std::string_view tag) {
  STRATA_TRY(checkWord("tag", tag));
  if (looksLikeNumber(tag)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("tag {}: 'v' and digits are a version's number", quoted(tag)));
  }
  return {};
}

Result<void> checkText(std::string_view what, std::string_view text) {
  if (text.size() > kMostTextBytes) {
    return fail(ErrorCode::InvalidArgument, fmt::format("the {} has {} bytes, at most {} are kept",
                                                        what, text.size(), kMostTextBytes));
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8CharacterBytes(text.substr(i));
    if (length == 0 || text[i] == '\0') {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the {} is not UTF-8 at byte {}", what, i));
    }
    i += length;
  }
  return {};
}

Result<Reference> parseReference(std::string_view text) {
  if (!text.empty() && text[0] == '@') return parseHash(text.substr(1));
  Reference reference;
  const std::size_t mark = text.find_first_of(":~");
  STRATA_TRY(checkName(text.substr(0, mark)));
  reference.name = text.substr(0, mark);
  if (mark == text.npos) return reference;
  const std::string_view rest = text.substr(mark + 1);
  if (text[mark] == '~') {
    const auto back = rest.empty() ? std::optional<std::uint32_t>(1) : parseNumber(rest);
    if (!back) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: '~' is followed by how many versions back", quoted(text)));
    }
    reference.kind = Reference::Kind::Back;
    reference.number = *back;
    return reference;
  }
  if (looksLikeNumber(rest)) {
    const auto number = parseNumber(rest.substr(1));
    if (!number || *number == 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: version numbers are 1 to 4294967295", quoted(text)));
    }
    reference.kind = Reference::Kind::Number;
    reference.number = *number;
    return reference;
  }
  STRATA_TRY(checkTag(rest));
  reference.kind = Reference::Kind::Tag;
  reference.tag = rest;
  return reference;
}

}  // namespace strata
