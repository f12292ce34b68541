#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// Cuts a command line into words as a shell does: spaces separate, '…' and "…" keep them, a
/// backslash keeps the next character (within "…" only \" \\ \$ \`). No variables, globs, pipes.
/// Fails with InvalidArgument for an open quote, a backslash at the end, or no word at all.
Result<std::vector<std::string>> commandWords(std::string_view command);

/// A word as a shell reads it back: in quotes where it holds more than plain characters.
std::string shellWord(std::string_view word);

/// The same of a path, which no command takes for an option: "./-x" for "-x".
std::string shellPath(std::string_view path);

}  // namespace strata
