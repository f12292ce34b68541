#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Parses a text that came from outside: at most 64 levels deep and 5 million values. `what` names
/// it in the error. Fails with CorruptData. The caller has bounded its size.
Result<nlohmann::json> parseJson(std::string_view text, std::string_view what);

/// Takes a member of an object; false: the rest of the document is not wanted.
using JsonMemberSink = std::function<bool(const std::string& name, const nlohmann::json& member)>;

/// As parseJson for a document that is too long to be in memory as JSON: the members of the object
/// under `key` go to `sink` one after the other, a name that comes twice as two members, and are
/// left out of what is returned. The limit of values counts what is returned and one member. Fails
/// with CorruptData, too, where `key` comes twice.
Result<nlohmann::json> parseJsonMembers(std::string_view text, std::string_view what,
                                        std::string_view key, const JsonMemberSink& sink);

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
