#include "cli/words/command.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/transfer_commands.h"

namespace strata::cli {

const std::vector<CommandRow>& allCommands() {
  static const std::vector<CommandRow> kCommands{
      {"init", makeInit},
      {"import", makeImport},
      {"add", makeAdd},
      {"list", makeList},
      {"log", makeLog},
      {"show", makeShow},
      {"du", makeDu},
      {"diff", makeDiff},
      {"restore", makeRestore},
      {"cat", makeCat},
      {"snapshot", makeSnapshot},
      {"watch", makeWatch},
      {"run list", makeRunList},
      {"resume", makeResume},
      {"verify", makeVerify},
      {"recode", makeRecode},
      {"rename", makeRename},
      {"remove", makeRemove},
      {"prune", makePrune},
      {"undo", makeUndo},
      {"redo", makeRedo},
      {"history", makeHistory},
      {"gc", makeGc},
      {"trash list", makeTrashList},
      {"trash restore", makeTrashRestore},
      {"trash empty", makeTrashEmpty},
      {"tag", makeTag},
      {"tag list", makeTagList},
      {"tag remove", makeTagRemove},
      {"note", makeNote},
      {"source", makeSource},
      {"serve", makeServe},
      {"lfs-agent", makeLfsAgent},
      {"remote add", makeRemoteAdd},
      {"remote list", makeRemoteList},
      {"remote show", makeRemoteShow},
      {"remote verify", makeRemoteVerify},
      {"remote gc", makeRemoteGc},
      {"remote set", makeRemoteSet},
      {"remote rename", makeRemoteRename},
      {"remote remove", makeRemoteRemove},
      {"push", makePush},
      {"pull", makePull},
      {"fetch", makeFetch},
      {"search", makeSearch},
      {"clone", makeClone},
      {"transfer list", makeTransferList},
      {"transfer resume", makeTransferResume},
      {"transfer remove", makeTransferRemove},
      {"bundle create", makeBundleCreate},
      {"bundle import", makeBundleImport},
      {"auth login", makeAuthLogin},
      {"auth logout", makeAuthLogout},
      {"auth status", makeAuthStatus},
      {"profile list", makeProfileList},
      {"profile show", makeProfileShow},
      {"profile save", makeProfileSave},
      {"profile import", makeProfileImport},
      {"profile remove", makeProfileRemove},
      {"tune", makeTune},
      {"config get", makeConfigGet},
      {"config set", makeConfigSet},
      {"config unset", makeConfigUnset},
      {"config list", makeConfigList},
      {"config edit", makeConfigEdit},
      {"config path", makeConfigPath},
      {"config trust", makeConfigTrust},
      {"bench", makeBench},
      {"info", makeInfo},
      {"man", makeMan},
      {"completion", makeCompletion},
  };
  return kCommands;
}

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
