#pragma once

#include <string>
#include <vector>

namespace strata::cli {

/// What the hidden `strata __complete WORD...` prints: `words` are those after the program's name,
/// the last one is being typed. A candidate a line, with a tab and a description where there is
/// one; ":files" or ":folders" alone asks the shell for paths. Never fails: no candidates then.
std::string completeWords(const std::vector<std::string>& words);

/// The script for "bash", "zsh" or "fish".
std::string completionScript(const std::string& shell);

}  // namespace strata::cli
