#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"

namespace strata::hub {

/// Runs a program that keeps secrets, such as `docker-credential-pass get`: gives it `input` and
/// the end of it, returns what it prints, at most 64 KiB. No shell. Its stderr is ours.
/// Fails with NotFound (no such program) or Unsupported (it failed, or took too long).
Result<std::string> runCredentialHelper(const std::vector<std::string>& words,
                                        const std::string& input, std::chrono::seconds limit);

}  // namespace strata::hub
