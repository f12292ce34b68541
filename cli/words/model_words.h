#pragma once

#include <string>
#include <vector>

#include "cli/problem.h"

namespace strata::cli {

/// A model from stdin, as a word of the command line.
inline constexpr const char* kStdin = "-";

/// What `add [NAME] FILE...` was told.
struct NamedModels {
  std::string name;
  std::vector<std::string> paths;  ///< in the order that people count in: checkpoint-500 first
  bool isReordered = false;        ///< they were named in another order
};

/// Tells the name from the files. A lone word that is a file or a URL gives its name; a first word
/// that is a file is no name. Fails with InvalidArgument.
Attempt<NamedModels> readModelWords(const std::string& first, std::vector<std::string> rest);

}  // namespace strata::cli
