#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/element_type.h"
#include "onnx_io/torch/pickle_tree.h"

namespace strata {

/// A tensor of PyTorch as its pickle describes it: a view of a storage. All numbers are untrusted.
struct TorchTensor {
  std::string name;          ///< keys and positions on the way to it, joined by dots
  std::string_view storage;  ///< key of the storage; views the file
  ElementType type = ElementType::Bytes;
  std::uint64_t storageElements = 0;  ///< as the pickle says; 0: it counts bytes or is not known
  std::uint64_t offset = 0;           ///< in elements
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;  ///< in elements, one for each dimension
  bool isWholeStorage = false;         ///< a storage that stands for itself, without a shape
  bool isOfOptimizer = false;          ///< lies in the `state` of an optimizer
};

/// An optimizer as torch.optim's state_dict() makes it.
struct TorchOptimizer {
  std::string name;            ///< of what holds it: "" or "optimizer", joined as for tensors
  PickleId map = kNoPickleId;  ///< with `state` and `param_groups`
};

struct TorchContents {
  std::vector<TorchTensor> tensors;
  std::vector<TorchOptimizer> optimizers;
};

/// All tensors and optimizers of a pickle in the order in which they stand there, each once: of
/// several names the first. Of an object `_modules`, `_parameters` and `_buffers` are no parts of a
/// name. What lies deeper than 100 values is not looked at.
TorchContents torchContents(const PickleTree& tree);

/// The tensor that a value is, without a name; nothing if it is none.
std::optional<TorchTensor> torchTensorAt(const PickleTree& tree, PickleId id);

}  // namespace strata
