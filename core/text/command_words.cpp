#include "core/text/command_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

constexpr std::string_view kSpaces = " \t\n";

/// Reads a command from its front on.
class WordReader {
 public:
  explicit WordReader(std::string_view command) : left_(command) {}

  /// Moves to the next word; false at the end.
  bool atWord() {
    left_.remove_prefix(std::min(left_.find_first_not_of(kSpaces), left_.size()));
    return !left_.empty();
  }

  Result<std::string> word() {
    std::string text;
    while (!left_.empty() && kSpaces.find(left_.front()) == std::string_view::npos) {
      const char c = take();
      if (c == '\'' || c == '"') {
        STRATA_TRY(const std::string part, quoted(c));
        text += part;
      } else if (c == '\\') {
        if (left_.empty()) return fail(ErrorCode::InvalidArgument, "it ends in a backslash");
        text += take();
      } else {
        text += c;
      }
    }
    return text;
  }

 private:
  char take() {
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }

  /// Up to the closing `quote`.
  Result<std::string> quoted(char quote) {
    std::string text;
    while (!left_.empty()) {
      const char c = take();
      if (c == quote) return text;
      const bool isEscape =
          quote == '"' && c == '\\' && !left_.empty() &&
          std::string_view("\"\\$`").find(left_.front()) != std::string_view::npos;
      text += isEscape ? take() : c;
    }
    return fail(ErrorCode::InvalidArgument, fmt::format("a {} is not closed", quote));
  }

  std::string_view left_;
};

}  // namespace

Result<std::vector<std::string>> commandWords(std::string_view command) {
  WordReader reader(command);
  std::vector<std::string> words;
  while (reader.atWord()) {
    auto word = reader.word();
    if (!word) return fail(word.error().within(fmt::format("the command `{}`", command)));
    words.push_back(std::move(*word));
  }
  if (words.empty()) return fail(ErrorCode::InvalidArgument, "the command has no words");
  return words;
}

std::string shellWord(std::string_view word) {
  const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return isLetter || (c >= '0' && c <= '9') ||
           std::string_view("/._-:@%+,=").find(c) != std::string_view::npos;
  });
  if (isPlain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shellPath(std::string_view path) {
  return shellWord((path.starts_with('-') ? "./" : "") + std::string(path));
}

}  // namespace strata
