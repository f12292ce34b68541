#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/exchange/remote_reference.h"

namespace strata::cli {

/// A version as every list of a remote's versions shows it.
Json toJson(const RemoteVersion& version, const std::vector<std::string>& tags);

/// Bases that lie elsewhere than on the remote.
Json basesJson(const std::vector<BaseElsewhere>& bases);
/// Says where they are.
void printElsewhere(Output& output, const std::vector<BaseElsewhere>& bases);

/// Prints what is known of a version that a remote has, in all modes; `word` is how it was called.
void printOnRemote(Output& output, const RemoteFinding& found, const std::string& word);

}  // namespace strata::cli
