#pragma once

#include "cli/context.h"
#include "core/ops/exchange/pull_versions.h"

namespace strata::cli {

/// `--fetch-bases`.
Argument fetchBasesArgument(bool& target);

/// Fetches bases that a remote does not hold from where it says, and stores them. Without
/// `isAllowed` it asks before each, on a terminal; else it fails with InvalidArgument, naming the
/// base, its place and the flag. What it returns borrows the context and the store.
BaseFetcher baseFetcher(Context& context, Store& store, bool isAllowed);

}  // namespace strata::cli
