#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/problem.h"
#include "cli/words/arguments.h"

namespace strata::cli {

class Context;

/// What help says of a command.
struct CommandInfo {
  std::string usage;    ///< what follows "strata": "restore REF -o FILE [options]"
  std::string summary;  ///< one sentence
  std::vector<std::string> examples = {};
  std::string details = {};  ///< further lines
};

/// One command of the program. Made for one run: declare() binds the arguments to its members,
/// run() uses them.
class Command {
 public:
  virtual ~Command() = default;
  virtual CommandInfo info() const = 0;
  virtual void declare(Arguments& arguments) = 0;
  virtual Outcome run(Context& context) = 0;
};

/// A command's words, "trash list", and what makes it.
struct CommandRow {
  std::string_view name;
  std::unique_ptr<Command> (*make)();
};

/// All commands, in the order of the help screen.
const std::vector<CommandRow>& allCommands();

/// nullptr if there is no such command. "ls" is "list", "rm" is "remove", "mv" is "rename".
const CommandRow* findCommand(std::string_view name);

/// The verbs of a group, "list", "restore", "empty" of "trash"; empty for other words.
std::vector<std::string> verbsOf(std::string_view group);

/// First words of all commands, each once.
std::vector<std::string> commandWords();

std::unique_ptr<Command> makeInit();
std::unique_ptr<Command> makeImport();
std::unique_ptr<Command> makeAdd();
std::unique_ptr<Command> makeList();
std::unique_ptr<Command> makeLog();
std::unique_ptr<Command> makeShow();
std::unique_ptr<Command> makeDu();
std::unique_ptr<Command> makeCat();
std::unique_ptr<Command> makeDiff();
std::unique_ptr<Command> makeRestore();
std::unique_ptr<Command> makeSnapshot();
std::unique_ptr<Command> makeWatch();
std::unique_ptr<Command> makeRunList();
std::unique_ptr<Command> makeResume();
std::unique_ptr<Command> makeVerify();
std::unique_ptr<Command> makeRecode();
std::unique_ptr<Command> makeRename();
std::unique_ptr<Command> makeRemove();
std::unique_ptr<Command> makePrune();
std::unique_ptr<Command> makeUndo();
std::unique_ptr<Command> makeRedo();
std::unique_ptr<Command> makeHistory();
std::unique_ptr<Command> makeGc();
std::unique_ptr<Command> makeTrashList();
std::unique_ptr<Command> makeTrashRestore();
std::unique_ptr<Command> makeTrashEmpty();
std::unique_ptr<Command> makeTag();
std::unique_ptr<Command> makeTagList();
std::unique_ptr<Command> makeTagRemove();
std::unique_ptr<Command> makeNote();
std::unique_ptr<Command> makeSource();
std::unique_ptr<Command> makeRemoteAdd();
std::unique_ptr<Command> makeRemoteList();
std::unique_ptr<Command> makeRemoteShow();
std::unique_ptr<Command> makeRemoteVerify();
std::unique_ptr<Command> makeRemoteGc();
std::unique_ptr<Command> makeRemoteSet();
std::unique_ptr<Command> makeRemoteRename();
std::unique_ptr<Command> makeRemoteRemove();
std::unique_ptr<Command> makePush();
std::unique_ptr<Command> makePull();
std::unique_ptr<Command> makeFetch();
std::unique_ptr<Command> makeSearch();
std::unique_ptr<Command> makeClone();
std::unique_ptr<Command> makeBundleCreate();
std::unique_ptr<Command> makeBundleImport();
std::unique_ptr<Command> makeProfileList();
std::unique_ptr<Command> makeProfileShow();
std::unique_ptr<Command> makeProfileSave();
std::unique_ptr<Command> makeProfileImport();
std::unique_ptr<Command> makeProfileRemove();
std::unique_ptr<Command> makeTune();
std::unique_ptr<Command> makeConfigGet();
std::unique_ptr<Command> makeConfigSet();
std::unique_ptr<Command> makeConfigUnset();
std::unique_ptr<Command> makeConfigList();
std::unique_ptr<Command> makeConfigEdit();
std::unique_ptr<Command> makeConfigPath();
std::unique_ptr<Command> makeConfigTrust();
std::unique_ptr<Command> makeServe();
std::unique_ptr<Command> makeLfsAgent();
std::unique_ptr<Command> makeAuthLogin();
std::unique_ptr<Command> makeAuthLogout();
std::unique_ptr<Command> makeAuthStatus();
std::unique_ptr<Command> makeBench();
std::unique_ptr<Command> makeInfo();
std::unique_ptr<Command> makeMan();
std::unique_ptr<Command> makeCompletion();

}  // namespace strata::cli
