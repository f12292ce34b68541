#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/io/models/model_sink.h"
#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// A tensor as the program that wrote it shows it: in its own shape, whatever the order in which
/// its elements lie, and under each of its names.
struct PlainArray {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<std::uint64_t> shape;
  /// In elements, one for each dimension; empty: the elements lie row by row. Of elements that fill
  /// whole bytes alone.
  std::vector<std::uint64_t> strides;
  std::span<const std::byte> bytes;  ///< from its first element on; its last one is in it
  bool isOfOptimizer = false;
};

/// Bytes of all elements, row by row; they fit 64 bits.
std::uint64_t byteCount(const PlainArray& array) noexcept;

/// Gives the elements row by row to `sink`, in pieces of whole elements. Needs little memory.
Result<void> writeRows(const PlainArray& array, ByteSink& sink);

/// A tensor that is none, and why.
struct LeftOutTensor {
  std::string name;
  std::string why;

  std::string text() const { return name + ": " + why; }
};

/// The tensors of one file of a model, by its number. `leftOut` gets those whose words have no
/// meaning that is known. Fails with Unsupported where that cannot be told. Core knows no
/// formats: programs give it one of onnx_io.
using ArrayLister = std::function<Result<std::vector<PlainArray>>(
    const ModelDescription& model, std::size_t file, std::vector<LeftOutTensor>& leftOut)>;

}  // namespace strata
