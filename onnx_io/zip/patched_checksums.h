#pragma once

#include <span>
#include <vector>

#include "core/io/file_patch.h"
#include "core/result.h"

namespace strata {

/// The checksums of zip members whose bytes patches change: a ChecksumMender. Both lists of a
/// member have one, and some have a third one behind the bytes. Where the archive's checksum is not
/// that of its bytes, as PyTorch can be told to write it, it stays as it is. Other formats have
/// none. Fails with CorruptData where an archive cannot be listed.
Result<std::vector<ChecksumPatch>> patchedChecksums(const ModelFile& file,
                                                    std::span<const FilePatch> patches);

}  // namespace strata
