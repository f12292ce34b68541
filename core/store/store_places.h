#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace strata {

/// Files and folders that make up a store are its own: none of them is a link. A link, or a fifo in
/// the place of a file, would have a command read, write or delete what belongs to others, or wait
/// for ever. So whoever reads or changes a store asks here first. The folder of the store itself
/// may be reached by a link.

/// What a path of the store should be.
enum class PlaceKind { Folder, File };

/// "is a link, expected a folder of the store itself", where something else than `kind` lies at
/// `path`; nothing where it is one or where nothing is. Fails with Io.
Result<std::optional<std::string>> placeProblem(const std::filesystem::path& path, PlaceKind kind);

/// The store's folders and files with fixed names: `objects`, `lock`, `catalog.sqlite`, …
/// Fails with CorruptData, naming one that is not what it should be; Io.
Result<void> checkPlaces(const std::filesystem::path& storeFolder);

/// A folder below `storeFolder`, and those between. They need not exist. Fails as checkPlaces.
Result<void> checkOwnFolder(const std::filesystem::path& storeFolder,
                            const std::filesystem::path& folder);

/// A file below `storeFolder` and the folders between. They need not exist. Fails as checkPlaces.
Result<void> checkOwnFile(const std::filesystem::path& storeFolder,
                          const std::filesystem::path& file);

/// How many bytes such a file has; nothing where none is. Fails as checkPlaces.
Result<std::optional<std::uint64_t>> ownFileSize(const std::filesystem::path& storeFolder,
                                                 const std::filesystem::path& file);

}  // namespace strata
