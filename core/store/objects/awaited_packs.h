#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// The packs that a version was pulled without and that are not here yet. None for a version that
/// came with them: what that lacks is lost. Fails with what the catalog fails with.
Result<std::vector<Digest>> absentPacks(const Store& store, const VersionRef& ref);

/// What to run: "strata pull sst2:v2 hub".
std::string pullCommand(const AwaitedPacks& awaited);

/// NotFound, with what brings the packs. `ref` awaits them.
Error awaitedPacksError(const VersionRef& ref);

/// Where the packs are that a version cannot be rebuilt without, its own or those of a parent;
/// nothing if none is awaited or that cannot be told.
std::optional<AwaitedPacks> awaitedBy(const Store& store, const VersionEntry& version);

/// Why content cannot be opened: `error`, but where an object was not found: awaitedPacksError if a
/// version of the content awaits packs, else CorruptData.
Error explainMissing(const Store& store, const Digest& content, Error error);

}  // namespace strata
