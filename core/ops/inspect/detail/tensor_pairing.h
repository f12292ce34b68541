#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include "core/archive/layout.h"
#include "core/ops/inspect/detail/model_view.h"
#include "core/result.h"

namespace strata {

/// A rectangle of one of B's tensors and the words of one of A's that it is compared with.
struct TensorLink {
  std::size_t a = 0;     ///< index of A's tensor
  std::size_t b = 0;     ///< index of B's tensor
  PartLayout part;       ///< of B's word matrix
  PartView source;       ///< in A's files
  bool isEqual = false;  ///< by checksums of whole tensors: no need to read them
};

/// The word matrix of a tensor.
WordMatrix matrixOf(const ViewedTensor& tensor) noexcept;

/// Links the tensors that both sides have under one name, with one type and shape, in the order of
/// B's tensors. Where a name is there several times, a tensor goes with that in the file of its
/// path, else the first with the first.
std::vector<TensorLink> pairByName(const ModelView& a, const ModelView& b);

/// Links those of the tensors `wanted` of B that A has under their name, with their shape, and in
/// another type that canCompare(): for what is too plain to be found by content, such as zeros.
std::vector<TensorLink> pairByCast(const ModelView& a, const ModelView& b,
                                   std::span<const std::size_t> wanted);

/// Finds words of A for the tensors `wanted` of B (ascending) by what they hold, as adding B on top
/// of A would: renamed, transposed, grown, split, merged and rounded weights. Words without a link
/// have no counterpart. Of a stored B those tensors are decoded to a temporary file.
/// Fails with what reading either side fails with, NoSpace, Io, Cancelled.
Result<std::vector<TensorLink>> pairByContent(const ModelView& a, const ModelView& b,
                                              std::span<const std::size_t> wanted,
                                              const std::stop_token& stop);

}  // namespace strata
