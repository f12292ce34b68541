#pragma once

#include <filesystem>

#include "cli/words/command.h"
#include "core/result.h"

namespace strata::cli {

/// The manual page of a command, made from what its help says: troff with the man macros.
std::string manPage(const CommandRow& row);

/// strata(1): the commands, the options of all of them, references, variables, exit codes.
std::string programManPage();

/// Writes strata.1 and strata-COMMAND.1 of every command into a folder: `strata __man FOLDER`.
/// Fails with Io or NoSpace.
Result<void> writeManPages(const std::filesystem::path& folder);

}  // namespace strata::cli
