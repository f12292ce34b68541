#pragma once

#include <filesystem>
#include <vector>

#include "core/ops/care/damage.h"

namespace strata {

/// What a store keeps of its remotes and cannot be read any more, or is lost: what each listed
/// last, and the tags and notes that were agreed on with it. Without these nobody notices what
/// others lose or take off there. Then the file that says which of them were asked (asked_lists.h),
/// of no remote. Where the list of remotes cannot be read, that file and the list.
std::vector<Damage> keptDamages(const std::filesystem::path& storeFolder);

}  // namespace strata
