#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// An array in the memory of a program, as a tensor of a model.
struct ModelArray {
  std::string name = {};  ///< UTF-8, at most 1024 bytes; not "__metadata__"
  ElementType type = ElementType::F32;
  std::vector<std::uint64_t> shape = {};  ///< empty for a scalar
  /// As many bytes as `type` and `shape` ask for, row by row, little-endian. The caller's: they
  /// must outlive the model, and hold still while it is read. They need no alignment.
  std::span<const std::byte> bytes = {};
};

struct ArrayModelOptions {
  std::string fileName = "model.safetensors";  ///< what the version's only file is called
  /// What the file says of itself, such as {"format", "pt"}. In the order in which it is given.
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

/// The model that arrays make: for programs that store weights without writing a file first.
///
/// The model is the safetensors file with these arrays, in the order in which they are given: each
/// of its bytes is defined, so that the version has a digest and restores to that file. A file that
/// was written with the same tensors, order and metadata, in JSON without spaces, is the same
/// model. Only the header is made; the arrays are read where they are.
///
/// An array of no elements is a line of the header alone. Fails with InvalidArgument, naming the
/// array: a name that is malformed or there twice, a type that safetensors files do not have, bytes
/// that do not fit type and shape; a file name that is a path. Fails with LimitExceeded for a
/// header of more than 100 MB.
Result<std::unique_ptr<ModelSource>> modelOfArrays(const std::vector<ModelArray>& arrays,
                                                   const ArrayModelOptions& options = {});

}  // namespace strata
