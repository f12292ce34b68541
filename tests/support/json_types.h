#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace strata::test {

/// Calls `each` with copies of `document`: one for each of its values, at any depth, and each value
/// of another type in its place, and one for each value that is left out. `where` names the change.
void forOtherTypes(
    const nlohmann::json& document,
    const std::function<void(const nlohmann::json& changed, const std::string& where)>& each);

}  // namespace strata::test
