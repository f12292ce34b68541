#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/remote_reference.h"

namespace strata::cli {

/// A version as every list of a remote's versions shows it.
Json toJson(const RemoteVersion& version, const std::vector<std::string>& tags);

/// Prints what is known of a version that a remote has, in all modes; `word` is how it was called.
void printOnRemote(Output& output, const RemoteFinding& found, const std::string& word);

}  // namespace strata::cli
