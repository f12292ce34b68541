#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/transfer/list_stamps.h"

namespace strata {

/// `[[NUMBER,"CHECK"],…]`.
nlohmann::json stampsJson(const std::vector<ListStamp>& stamps);

/// Nothing for what is no list of at most kMaxBefore stamps, the newest first, all with numbers
/// below `number`; 0: any.
std::optional<std::vector<ListStamp>> stampsOf(const nlohmann::json& list, std::uint64_t number);

}  // namespace strata
