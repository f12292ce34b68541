#include "cli/words/advice.h"

#include <algorithm>
#include <array>

#include "cli/words/command.h"
#include "core/text/command_words.h"

namespace strata::cli {
namespace {

constexpr std::string_view kProgram = "strata ";
constexpr std::array<std::string_view, 3> kWithoutStore{"init", "clone", "completion"};

/// Up to what ends a word of a command in a text.
std::string_view firstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(" \"|,;"));
}

/// Whether a command, given without the program's name, works with the store in use.
bool takesStore(std::string_view command) {
  const std::string_view word = firstWord(command);
  const std::vector<std::string> known = commandWords();
  if (std::find(known.begin(), known.end(), word) == known.end()) return false;
  if (std::find(kWithoutStore.begin(), kWithoutStore.end(), word) != kWithoutStore.end()) {
    return false;
  }
  // "config trust DIR"
  constexpr std::string_view kTrust = "config trust ";
  return !command.starts_with(kTrust) || command.substr(kTrust.size()).starts_with('-');
}

}  // namespace

std::string withStore(std::string_view text, std::string_view folder, Commands commands) {
  if (folder.empty()) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find(kProgram, at);
    const std::size_t end = found == text.npos ? text.size() : found + kProgram.size();
    result += text.substr(at, end - at);
    at = end;
    if (found == text.npos) break;
    const char before = found == 0 ? ' ' : text[found - 1];
    const bool isCommand = before == '"' || (before == ' ' && commands == Commands::All);
    if (isCommand && takesStore(text.substr(at))) {
      result += "-C " + shellPath(folder) + " ";
    }
  }
  return result;
}

}  // namespace strata::cli
