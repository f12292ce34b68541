#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/ops/exchange/fetch_remote.h"
#include "core/result.h"

namespace strata {

/// STORE/remotes/NAME.json: what a remote listed when it was last asked. Its first line is a JSON
/// object that says all but the refs, and has a checksum of the whole. The list follows, a line for
/// each ref, as serializeRefIndex writes it: it is long, and read by every command that asks the
/// remote. Earlier programs wrote one JSON object with the list as a text in it.

/// Fails with InvalidArgument where the list is too long.
Result<std::string> keptText(const FetchedListing& fetched);

/// `what` names the file. Fails with CorruptData.
Result<FetchedListing> parseKept(std::string_view text, std::string_view what);

/// RefListing::generation of such a text; 0 for one that cannot be read.
std::uint64_t generationKept(std::string_view text);

}  // namespace strata
