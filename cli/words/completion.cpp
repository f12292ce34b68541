#include "cli/words/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"
#include "cli/views/transfer_view.h"
#include "cli/words/command_line.h"
#include "core/config/settings.h"
#include "core/profile/profile.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/transfer_log.h"

namespace strata::cli {
namespace {

/// Collects what begins with the word that is being typed.
class Candidates {
 public:
  explicit Candidates(std::string prefix) : prefix_(std::move(prefix)) {}

  const std::string& prefix() const noexcept { return prefix_; }
  void add(std::string_view word, std::string_view what = {}) {
    if (!word.starts_with(prefix_)) return;
    text_ += word;
    if (!what.empty()) text_.append("\t").append(what);
    text_ += '\n';
  }
  void askShell(std::string_view kind) { text_.append(":").append(kind).append("\n"); }
  std::string take() { return std::move(text_); }

 private:
  std::string prefix_;
  std::string text_;
};

/// The catalog's versions, if there is a store; completion never says why not.
std::vector<VersionEntry> storedVersions(const GlobalOptions& global) {
  auto context = Context::make(global);
  if (!context) return {};
  auto store = (*context)->openStore();
  if (!store) return {};
  return (*store)->catalog().versions().value_or(std::vector<VersionEntry>{});
}

void addStored(Completes kind, const GlobalOptions& global, Candidates& candidates) {
  // Versions are offered once a name is chosen, so that the list stays short.
  const bool wantsVersions =
      kind == Completes::References && candidates.prefix().find(':') != std::string::npos;
  std::string last;
  for (const VersionEntry& version : storedVersions(global)) {
    if (wantsVersions) {
      candidates.add(version.label(), version.note.substr(0, version.note.find('\n')));
      for (const std::string& tag : version.tags) {
        candidates.add(version.name + ":" + tag, version.label());
      }
    } else if (version.name != last) {
      candidates.add(version.name, version.isBase() ? "base" : "");
    }
    last = version.name;
  }
}

void addRemotes(const GlobalOptions& global, Candidates& candidates) {
  const auto context = Context::make(global);
  if (!context) return;
  const auto folder = (*context)->storeFolder();
  if (!folder) return;
  for (const RemoteConfig& remote : RemoteList::load(*folder).value_or(RemoteList{}).remotes) {
    candidates.add(remote.name, remote.url);
  }
}

void addTransfers(const GlobalOptions& global, Candidates& candidates) {
  const auto context = Context::make(global);
  if (!context) return;
  const auto store = (*context)->openStore();
  if (!store) return;
  for (const TransferEntry& entry : listTransfers(**store).value_or(std::vector<TransferEntry>{})) {
    if (entry.isLive()) continue;
    candidates.add(std::to_string(entry.id),
                   printable(fmt::format("{}, {}: {}", whereText(entry.request),
                                         stateWord(entry.state), whatText(entry.request))));
  }
}

void addValues(Completes kind, const GlobalOptions& global, Candidates& candidates) {
  switch (kind) {
    case Completes::Files:
      return candidates.askShell("files");
    case Completes::Folders:
      return candidates.askShell("folders");
    case Completes::References:
    case Completes::Names:
      return addStored(kind, global, candidates);
    case Completes::Profiles:
      for (const Profile& profile :
           listProfiles(profileFolder(), nullptr).value_or(std::vector<Profile>{})) {
        candidates.add(profile.name, profile.description);
      }
      return;
    case Completes::Remotes:
      return addRemotes(global, candidates);
    case Completes::Transfers:
      return addTransfers(global, candidates);
    case Completes::ConfigKeys:
      for (const Setting& setting : allSettings()) candidates.add(setting.key, setting.help);
      return;
    case Completes::Commands:
      for (const std::string& word : commandWords()) candidates.add(word);
      return;
    case Completes::Nothing:
      return;
  }
}

void addArgument(const Argument& argument, const GlobalOptions& global, Candidates& candidates) {
  for (const std::string& choice : argument.choices) candidates.add(choice);
  addValues(argument.completes, global, candidates);
}

void addOptions(const Arguments& arguments, Candidates& candidates) {
  for (const Argument& argument : arguments.all()) {
    if (isPositional(argument)) continue;
    for (const std::string& name : spellings(argument)) {
      if (name.starts_with("--")) candidates.add(name, argument.help);
    }
  }
}

/// How many positional words stand among `words`.
std::size_t plainWordCount(const std::vector<std::string>& words, const Arguments& known) {
  std::size_t count = 0;
  for (std::size_t place = 0; place < words.size(); ++place) {
    if (takesNextWord(known, words[place])) {
      ++place;
    } else if (words[place].empty() || words[place].front() != '-') {
      ++count;
    }
  }
  return count;
}

void addPositional(const Arguments& own, std::size_t number, const GlobalOptions& global,
                   Candidates& candidates) {
  const Argument* wanted = nullptr;
  std::size_t place = 0;
  for (const Argument& argument : own.all()) {
    if (!isPositional(argument)) continue;
    const bool takesAll = std::holds_alternative<std::vector<std::string>*>(argument.target);
    if (place == number || (takesAll && place < number)) wanted = &argument;
    ++place;
  }
  if (wanted != nullptr) addArgument(*wanted, global, candidates);
}

/// The value of an option that stands before the word being typed, for -C.
void readStoreOption(const std::vector<std::string>& words, GlobalOptions& global) {
  for (std::size_t place = 0; place + 1 < words.size(); ++place) {
    if (words[place] == "-C" || words[place] == "--store") global.store = words[place + 1];
  }
}

void completeCommand(const CommandLine& line, const std::string& before, const Arguments& all,
                     const GlobalOptions& global, Candidates& candidates) {
  const std::unique_ptr<Command> command = line.row->make();
  Arguments own;
  command->declare(own);
  Arguments known = all;
  for (const Argument& argument : own.all()) known.add(argument);
  if (takesNextWord(known, before)) {
    const std::string name =
        before.starts_with("--") ? before : "-" + before.substr(before.size() - 1);
    if (const Argument* option = known.find(name)) addArgument(*option, global, candidates);
    return;
  }
  if (candidates.prefix().starts_with('-')) return addOptions(known, candidates);
  const std::size_t number = plainWordCount(line.rest, known);
  if (number == 0) {
    for (const std::string& verb : verbsOf(line.row->name)) candidates.add(verb);
  }
  addPositional(own, number, global, candidates);
}

}  // namespace

std::string completeWords(const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty()) words.emplace_back();
  Candidates candidates(words.back());
  words.pop_back();
  GlobalOptions global;
  Arguments all;
  global.declare(all);
  readStoreOption(words, global);
  const std::string before = words.empty() ? "" : words.back();
  const bool isHelp = !words.empty() && words.front() == "help";
  if (isHelp) words.erase(words.begin());
  const auto line = readCommandLine(words);
  if (!line) return {};
  if (line->row != nullptr && !isHelp) {
    completeCommand(*line, before, all, global, candidates);
  } else if (!line->group.empty()) {
    for (const std::string& verb : verbsOf(line->group)) candidates.add(verb);
  } else if (takesNextWord(all, before)) {
    if (const Argument* option = all.find(before)) addArgument(*option, global, candidates);
  } else if (candidates.prefix().starts_with('-')) {
    addOptions(all, candidates);
  } else {
    for (const std::string& word : commandWords()) candidates.add(word);
    if (!isHelp) candidates.add("help");
  }
  return candidates.take();
}

}  // namespace strata::cli
