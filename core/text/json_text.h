#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Parses a text that came from outside: at most 64 levels deep. `what` names it in the error.
/// Fails with CorruptData. The caller has bounded its size.
Result<nlohmann::json> parseJson(std::string_view text, std::string_view what);

/// What stands under `key`; null if nothing does or `object` is none. Unlike `value()` and `at()`
/// of the library it throws for no type.
const nlohmann::json& anyMember(const nlohmann::json& object, const char* key);
/// A member's text; nothing if there is none or it is no text.
std::optional<std::string> textMember(const nlohmann::json& object, const char* key);
/// A member's whole number, not negative; nothing if there is none.
std::optional<std::uint64_t> countMember(const nlohmann::json& object, const char* key);
/// A member's list; an empty one if there is none.
const nlohmann::json& listMember(const nlohmann::json& object, const char* key);

}  // namespace strata
