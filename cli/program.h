#pragma once

#include <string>
#include <vector>

namespace strata::cli {

/// The whole program: parses the words after its name, runs the command, prints, and answers the
/// exit code.
int runProgram(const std::vector<std::string>& words);

}  // namespace strata::cli
