#include "cli/words/command.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/commands/command_list.h"

namespace strata::cli {

std::span<const CommandRow> allCommands() { return kCommands; }

const CommandRow* findCommand(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases{
      {{"ls", "list"}, {"mv", "rename"}, {"rm", "remove"}}};
  const auto alias = std::find_if(kAliases.begin(), kAliases.end(),
                                  [&](const auto& one) { return one.first == name; });
  const std::string_view sought = alias == kAliases.end() ? name : alias->second;
  for (const CommandRow& row : allCommands()) {
    if (row.name == sought) return &row;
  }
  return nullptr;
}

std::vector<std::string> verbsOf(std::string_view group) {
  std::vector<std::string> verbs;
  for (const CommandRow& row : allCommands()) {
    const std::size_t space = row.name.find(' ');
    if (space != std::string_view::npos && row.name.substr(0, space) == group) {
      verbs.emplace_back(row.name.substr(space + 1));
    }
  }
  return verbs;
}

std::vector<std::string> commandWords() {
  std::vector<std::string> words;
  for (const CommandRow& row : allCommands()) {
    std::string word(row.name.substr(0, row.name.find(' ')));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

}  // namespace strata::cli
