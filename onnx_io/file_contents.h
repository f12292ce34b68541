#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "onnx_io/metadata_list.h"

namespace strata {

/// What a reader of a format found in one file of a model.
struct FileContents {
  std::vector<TensorInfo> tensors;  ///< in the order found; may overlap
  MetadataList metadata;
  std::set<std::uint32_t> externalFiles;     ///< files that hold some of the tensors
  std::vector<std::string> oddTensors = {};  ///< as ModelDescription has them
  /// Why the file, or parts of it, are stored as bytes: "old.pt: it is …".
  std::vector<std::string> asBytes = {};
};

/// A model with more weights than this has the rest of them stored without being named.
inline constexpr std::size_t kMaxTensors = 1'000'000;

}  // namespace strata
