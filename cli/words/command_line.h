#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/words/command.h"

namespace strata::cli {

/// A command line taken apart: which command, and all other words in their order.
struct CommandLine {
  const CommandRow* row = nullptr;  ///< nullptr: no command, or a group without a verb
  std::string group;                ///< "trash" where the verb is missing
  std::vector<std::string> rest;    ///< options and arguments
  bool wantsJson = false;
  bool wantsQuiet = false;
  bool wantsHelp = false;
  bool wantsVersion = false;
};

/// Index of the first word that is neither an option of `global` nor the value of one.
std::optional<std::size_t> firstPlainWord(const std::vector<std::string>& words,
                                          const Arguments& global);

/// Finds the command among the words; global options may stand before it.
/// Fails with InvalidArgument for an unknown command or verb, with the nearest one.
Attempt<CommandLine> readCommandLine(const std::vector<std::string>& words);

}  // namespace strata::cli
