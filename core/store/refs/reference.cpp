#include "core/store/refs/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/text/nfc.h"
#include "core/text/printable.h"
#include "core/text/utf8_check.h"

namespace strata {
namespace {

constexpr std::size_t kMostNameBytes = 100;
constexpr std::size_t kMostTextBytes = 10'000;
constexpr std::string_view kSlash = "%2F";

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

bool isNameCharacter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '.' || c == '_' ||
         c == '-';
}

/// For error texts: at most 40 bytes.
std::string inQuotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::size_t end = std::min(text.size(), kShown);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return '"' + printable(text.substr(0, end)) + (text.size() > end ? "…\"" : "\"");
}

tl::unexpected<Error> refuse(std::string_view what, std::string_view word, std::string_view rule) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} {}: {}", what, inQuotes(word), rule));
}

Result<void> checkLength(std::string_view what, std::string_view word) {
  if (word.empty()) return fail(ErrorCode::InvalidArgument, fmt::format("the {} is empty", what));
  if (word.size() <= kMostNameBytes) return {};
  return refuse(what, word,
                fmt::format("has {} bytes, at most {} are allowed", word.size(), kMostNameBytes));
}

Result<void> checkStart(std::string_view what, std::string_view word, std::string_view part) {
  if (part[0] != '.' && part[0] != '-') return {};
  return refuse(what, word, "must not start with '.' or '-'");
}

/// A word of ASCII.
Result<void> checkWord(std::string_view what, std::string_view word) {
  STRATA_TRY(checkLength(what, word));
  if (!std::all_of(word.begin(), word.end(), isNameCharacter)) {
    return refuse(what, word, "only letters, digits, '.', '_' and '-' are allowed");
  }
  return checkStart(what, word, word);
}

/// Spaces beyond ASCII, which are as hard to type as to see.
bool isSpace(std::string_view character) noexcept {
  constexpr std::array<std::string_view, 20> kSpaces{
      "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
      "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
      "\u2029", "\u202F", "\u205F", "\u3000", "\u0085", "\u180E"};
  return std::find(kSpaces.begin(), kSpaces.end(), character) != kSpaces.end();
}

/// Whether each character is one that a name may have, '/' among them.
bool hasNameCharacters(std::string_view name) {
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = utf8CharacterBytes(name.substr(i));
    const std::string_view character = name.substr(i, length);
    if (length == 0 || isSpace(character)) return false;
    if (length == 1 && name[i] != '/' && !isNameCharacter(name[i])) return false;
    i += length;
  }
  return printable(name) == name;
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
                fmt::format("{}: a hash is 4 to 64 hexadecimal digits", inQuotes(digits)));
  }
  Reference reference;
  reference.kind = Reference::Kind::Hash;
  reference.hash = std::move(hash);
  return reference;
}

}  // namespace

Result<void> checkName(std::string_view name) {
  STRATA_TRY(checkLength("name", name));
  if (!hasNameCharacters(name)) {
    return refuse("name", name,
                  "only letters, digits, '.', '_', '-', and '/' between words are allowed");
  }
  for (std::string_view rest = name;;) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty()) return refuse("name", name, "has an empty word beside a '/'");
    STRATA_TRY(checkStart("name", name, part));
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  if (const std::string composed = composedText(name); composed != name) {
    return refuse("name", name,
                  fmt::format("is not in Unicode's form NFC, which is {}", inQuotes(composed)));
  }
  if (hasForeignToNfc(name)) {
    return refuse("name", name, "has a character for which Unicode's form NFC has another one");
  }
  return {};
}

Result<void> checkPlainName(std::string_view name) { return checkWord("name", name); }

std::string nameKey(std::string_view name) {
  std::string key;
  for (const char letter : name) {
    if (letter == '/') {
      key += kSlash;
    } else {
      key += letter;
    }
  }
  return key;
}

std::optional<std::string> nameOfKey(std::string_view key) {
  std::string name;
  while (!key.empty()) {
    const bool isSlash = key.starts_with(kSlash);
    if (key.front() == '/') return std::nullopt;
    name += isSlash ? '/' : key.front();
    key.remove_prefix(isSlash ? kSlash.size() : 1);
  }
  if (!checkName(name)) return std::nullopt;
  return name;
}

Result<void> checkTag(std::string_view tag) {
  STRATA_TRY(checkWord("tag", tag));
  if (looksLikeNumber(tag)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("tag {}: 'v' and digits are a version's number", inQuotes(tag)));
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
                  fmt::format("{}: '~' is followed by how many versions back", inQuotes(text)));
    }
    reference.kind = Reference::Kind::Back;
    reference.number = *back;
    return reference;
  }
  if (looksLikeNumber(rest)) {
    const auto number = parseNumber(rest.substr(1));
    if (!number || *number == 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: version numbers are 1 to 4294967295", inQuotes(text)));
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
