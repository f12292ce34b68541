#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/model_source.h"

namespace strata {

/// The first member of a zip archive whose bytes do not have the checksum that the archive says.
/// Empty where all have it, or where the file cannot be listed. Compressed members are not looked
/// at. That PyTorch reads such a file without a word is no proof that it is whole: it checks
/// none, and can be told to write none.
std::string memberWithOtherChecksum(std::span<const std::byte> file);

/// Where a file says the checksums of members that are not compressed: before and behind their
/// bytes, and in the list of members. `file` is its number in the model; it may be several
/// archives.
std::vector<ChecksumField> zipChecksumFields(std::span<const std::byte> bytes, std::uint32_t file);

}  // namespace strata
