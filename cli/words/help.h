#pragma once

#include <string>

#include "cli/words/command.h"

namespace strata::cli {

/// The screen of `strata --help`: at most 24 lines of 80 columns.
std::string programHelp();

/// The help of one command: usage, a sentence, examples, options.
std::string commandHelp(const CommandRow& row);

/// The help of a group of verbs such as "trash".
std::string groupHelp(const std::string& group);

/// The options that every command takes, and the forms of references.
std::string optionsHelp();

/// "strata 0.1.0"
std::string versionText();

}  // namespace strata::cli
