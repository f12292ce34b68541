#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// Where the files of a model lie that is fetched from a hub, until it is stored: a folder in
/// STORE/partial, which an interrupted import leaves for the next one. Whoever fills or reads it
/// holds its FolderLock.
std::filesystem::path fetchedModelFolder(const std::filesystem::path& storeFolder,
                                         std::string_view url);

/// Such a folder as it lies there.
struct FetchedModelFolder {
  std::filesystem::path path;
  std::uint64_t byteCount = 0;
};

/// All of them. Fails with Io.
Result<std::vector<FetchedModelFolder>> fetchedModelFolders(
    const std::filesystem::path& storeFolder);

}  // namespace strata
