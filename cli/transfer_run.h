#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"

namespace strata::cli {

/// Pushes to a remote and prints what came of it. The store's catalog keeps the push until it is
/// over; a failure that going on may mend says how. `options` need no cards and no `parallel`.
Outcome runPush(Context& context, Store& store, const OpenRemote& remote, PushOptions options);

/// As runPush. `store` may be another one than the context's: `strata` are the first words of a
/// command that leads to it. `options` need no `fetchBase`: see baseFetcher().
Outcome runPull(Context& context, Store& store, const OpenRemote& remote, PullOptions options,
                bool fetchBases = false, std::string_view strata = "strata");

/// Fetches the packs that a version of this store, or a parent of it, was pulled without
/// (`pull --lazy`), and says so. Does nothing where none are awaited, or there is no such version.
Outcome fetchAwaited(Context& context, Store& store, const std::string& reference);

/// The same for ops that ask for it. A failure is kept in `problem`, where that is not null.
std::function<Result<void>(const VersionEntry&)> awaitedFetcher(
    Context& context, Store& store, std::optional<Problem>* problem = nullptr);

}  // namespace strata::cli
