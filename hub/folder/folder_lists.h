#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "hub/generation_lists.h"

namespace strata::hub {

/// Numbers of all lists of the remote in a folder, sorted; none where there is no folder of them.
/// Fails with Io.
Result<std::vector<std::uint64_t>> listNumbers(const std::filesystem::path& folder);

/// The lists of the remote in a folder: files, of which the highest number counts.
std::unique_ptr<ListPlace> makeFolderLists(std::filesystem::path folder);

}  // namespace strata::hub
