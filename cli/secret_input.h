#pragma once

#include <string>

#include "cli/problem.h"

namespace strata::cli {

/// Asks for a secret on the terminal, without showing what is typed. Fails with InvalidArgument if
/// there is no terminal.
Attempt<std::string> askSecret(const std::string& prompt);

/// The same, shown.
Attempt<std::string> askLine(const std::string& prompt);

/// The first line of stdin, at most 64 KiB. Fails with InvalidArgument if it is empty.
Attempt<std::string> readSecretLine();

}  // namespace strata::cli
