#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Bytes that take the place of as many others in a file.
struct FilePatch {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// A checksum of 32 bits, little-endian, that is another one once patches were made.
struct ChecksumPatch {
  std::uint64_t offset = 0;
  std::uint32_t value = 0;
};

/// The checksums in a file that follow from patches of it, which are sorted and do not overlap.
/// Core knows no formats: programs give it one of onnx_io.
using ChecksumMender = std::function<Result<std::vector<ChecksumPatch>>(
    const ModelFile& file, std::span<const FilePatch> patches)>;

}  // namespace strata
