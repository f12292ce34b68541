#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/transfer/base_elsewhere.h"

namespace strata {

/// As a member of a version's ref, without the digest, and back. Nothing for what is malformed.
nlohmann::json toJson(const BaseElsewhere& base);
std::optional<BaseElsewhere> baseElsewhereOf(const nlohmann::json& member, const Digest& content);

}  // namespace strata
