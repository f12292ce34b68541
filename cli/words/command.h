#pragma once

#include <memory>
#include <span>
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
  /// Whether it runs with the defaults where the settings cannot be read, as what mends them does.
  virtual bool mendsSettings() const { return false; }
};

/// A command's words, "trash list", and what makes it.
struct CommandRow {
  std::string_view name;
  std::unique_ptr<Command> (*make)();
};

/// All commands, in the order of the help screen.
std::span<const CommandRow> allCommands();

/// nullptr if there is no such command. "ls" is "list", "rm" is "remove", "mv" is "rename".
const CommandRow* findCommand(std::string_view name);

/// The verbs of a group, "list", "restore", "empty" of "trash"; empty for other words.
std::vector<std::string> verbsOf(std::string_view group);

/// First words of all commands, each once.
std::vector<std::string> commandWords();

}  // namespace strata::cli
