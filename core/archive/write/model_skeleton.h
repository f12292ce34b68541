#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive/manifest.h"
#include "core/model/model_source.h"

namespace strata {

/// What of a model's files is not a weight, and what of a parent it is coded against.

/// The bytes of a file of `model` that are no tensor's, in order. Tensors are sorted by file and
/// offset and do not overlap.
std::vector<std::byte> skeletonOf(const ModelDescription& model, std::size_t file);

/// The file of `parent` whose skeleton is most like that of `file`: of the same path, else the
/// first of the same kind; nothing if there is none.
std::optional<std::uint32_t> likestFile(const Manifest& parent, const ModelFile& file);

}  // namespace strata
