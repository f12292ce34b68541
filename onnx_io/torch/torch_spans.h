#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/torch/torch_tensors.h"

namespace strata {

/// Where a storage lies, and whether its words are as this machine reads them.
struct StoragePlace {
  ByteRange bytes;
  std::uint32_t file = 0;
  bool isSwapped = false;  ///< big-endian: its words are no numbers for Strata
};

/// The bytes of one storage as spans that do not overlap and cover all of it.
///
/// `views` are the tensors that share it, at least one. Of those that overlap the one that begins
/// first is listed, then the larger, then the first of them. One whose elements lie without gaps
/// but in another order (transposed, channels last) gets the shape in which they lie. What is left
/// of a storage, or all of it where no view is dense, is a row of its elements, named as the first
/// view and "#2", "#3" where that name is taken. A storage whose length is not what its views ask
/// for becomes bytes, and a line of `odd` says so.
std::vector<TensorInfo> storageSpans(std::span<const TorchTensor> views, const StoragePlace& place,
                                     std::vector<std::string>& odd);

/// The fewest bytes that the storage of a tensor has to have: what the pickle says of it, and the
/// end of the view. 0 where the type is not known.
std::uint64_t leastStorageBytes(const TorchTensor& tensor) noexcept;

}  // namespace strata
