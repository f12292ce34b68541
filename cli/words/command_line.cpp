#include "cli/words/command_line.h"

#include <fmt/format.h>

#include "core/text/suggest.h"

namespace strata::cli {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Index of the next word from `from` on that is neither an option nor an option's value.
std::size_t nextPlainWord(const std::vector<std::string>& words, std::size_t from,
                          const Arguments& arguments) {
  for (std::size_t place = from; place < words.size(); ++place) {
    const std::string& word = words[place];
    if (word == "--") return kNone;
    if (takesNextWord(arguments, word)) {
      ++place;
    } else if (word.size() < 2 || word.front() != '-') {
      return place;
    }
  }
  return kNone;
}

void noteWishes(const std::vector<std::string>& words, CommandLine& line) {
  for (const std::string& word : words) {
    if (word == "--") return;
    line.wantsJson = line.wantsJson || word == "--json";
    line.wantsQuiet = line.wantsQuiet || word == "-q" || word == "--quiet";
    line.wantsHelp = line.wantsHelp || word == "-h" || word == "--help";
    line.wantsVersion = line.wantsVersion || word == "--version";
  }
}

tl::unexpected<Problem> unknown(std::string_view kind, const std::string& word,
                                const std::vector<std::string>& known, std::string fix) {
  return usage(fmt::format("unknown {} \"{}\"{}", kind, word, didYouMean(word, known)),
               std::move(fix));
}

/// Options of the verb may stand before it, so every verb's are known here.
Arguments groupArguments(const std::string& group, const std::vector<std::string>& verbs,
                         std::vector<std::unique_ptr<Command>>& owners, const Arguments& global) {
  Arguments all = global;
  for (const std::string& verb : verbs) {
    owners.push_back(findCommand(group + " " + verb)->make());
    owners.back()->declare(all);
  }
  if (const CommandRow* row = findCommand(group)) {
    owners.push_back(row->make());
    owners.back()->declare(all);
  }
  return all;
}

}  // namespace

std::optional<std::size_t> firstPlainWord(const std::vector<std::string>& words,
                                          const Arguments& global) {
  const std::size_t place = nextPlainWord(words, 0, global);
  return place == kNone ? std::nullopt : std::optional(place);
}

Attempt<CommandLine> readCommandLine(const std::vector<std::string>& words) {
  CommandLine line;
  line.rest = words;
  noteWishes(words, line);
  GlobalOptions options;
  Arguments global;
  options.declare(global);
  const std::size_t first = nextPlainWord(words, 0, global);
  if (first == kNone) return line;
  const std::string word = words[first];
  const std::vector<std::string> verbs = verbsOf(word);
  line.row = findCommand(word);
  if (line.row == nullptr && verbs.empty()) {
    return unknown("command", word, commandWords(), "strata --help");
  }
  line.rest.erase(line.rest.begin() + static_cast<std::ptrdiff_t>(first));
  if (verbs.empty()) return line;
  std::vector<std::unique_ptr<Command>> owners;
  const Arguments known = groupArguments(word, verbs, owners, global);
  const std::size_t second = nextPlainWord(line.rest, first, known);
  const CommandRow* verb = second == kNone ? nullptr : findCommand(word + " " + line.rest[second]);
  if (verb != nullptr) {
    line.row = verb;
    line.rest.erase(line.rest.begin() + static_cast<std::ptrdiff_t>(second));
  } else if (line.row == nullptr) {
    line.group = word;
    if (second != kNone) {
      return unknown(word + " command", line.rest[second], verbs, "strata help " + word);
    }
  }
  return line;
}

}  // namespace strata::cli
