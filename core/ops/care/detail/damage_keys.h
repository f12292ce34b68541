#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/ops/care/verify_store.h"

namespace strata {

/// What tells two damages apart, so that two looks at a store can be compared.
using DamageKey = std::tuple<Damage::Kind, std::filesystem::path, std::string>;

std::set<DamageKey> keysOf(const std::vector<Damage>& damages);

/// Leaves damages that an earlier look found, too.
void keepOnly(const std::set<DamageKey>& keys, VerifyReport& report);

}  // namespace strata
