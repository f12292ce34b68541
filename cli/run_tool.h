#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace strata::cli {

/// Runs another program with our stdin, stdout and stderr, and waits for it; its words are passed
/// as they are, without a shell. Returns its exit status, 128 + N after signal N. Fails with
/// NotFound if there is no such program; Io.
Result<int> runTool(const std::vector<std::string>& words);

}  // namespace strata::cli
