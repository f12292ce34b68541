#pragma once

#include <cstdint>
#include <vector>

#include "core/archive/read/version_reader.h"

namespace strata {

/// Offsets at which to cut a restored file that leaves in order: those where reading costs nothing
/// extra, about `pieceBytes` apart, and further ones where these are more than `mostBytes` apart.
/// From 0 to the file's size; only 0 for an empty file.
std::vector<std::uint64_t> restoredPieces(const VersionReader& reader, std::size_t file,
                                          std::uint64_t pieceBytes, std::uint64_t mostBytes);

}  // namespace strata
