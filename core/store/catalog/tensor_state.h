#pragma once

#include <string_view>

#include "core/archive/manifest.h"
#include "core/model/model_source.h"

namespace strata {

/// How a tensor stands to the parent's.
enum class TensorState { Same, Changed, New };

/// "same", "changed", "new".
std::string_view name(TensorState state) noexcept;

/// Same if all of its words are the parent's. New if nothing of the parent is its counterpart: one
/// with a counterpart is Changed, also where its words alone take fewer bytes than a difference.
TensorState tensorState(const ManifestTensor& tensor) noexcept;

/// Whether the manifest's relativeChange counts integers as weights, as earlier programs did.
bool changeCountsIntegers(const Manifest& manifest) noexcept;

/// Whether it is no tensor of the model but bytes of a file, such as a tokenizer's, which readers
/// call FILE@OFFSET.
bool isPieceOfFile(const Manifest& manifest, const ManifestTensor& tensor);

/// Tensors of a model, without such pieces.
std::size_t tensorCount(const ModelDescription& model);

/// Bytes of a manifest's tensor; 0 if type and shape make no sense.
std::uint64_t byteCount(const ManifestTensor& tensor) noexcept;

}  // namespace strata
