#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/result.h"
#include "onnx_io/file_contents.h"
#include "onnx_io/model_files.h"

namespace strata {

/// How much a file's fields look like an ONNX model's.
struct OnnxSigns {
  bool hasGraph = false;
  bool startsWithVersion = false;  ///< the first field is ir_version, as every producer writes it
  bool hasForeignField = false;    ///< a known number with a wire type that ONNX does not give it
  std::size_t knownFields = 0;     ///< before the end or the first broken field
  std::optional<Error> problem;    ///< the broken field
};

/// Looks at the fields of the outermost message only.
OnnxSigns examineOnnx(std::span<const std::byte> file);

/// Finds every weight of an ONNX model: initializers, sparse initializers, attributes of nodes, in
/// the graph, its subgraphs, functions and training info. Opens the external files it names.
///
/// Fails with CorruptData, naming the path of fields and the byte, if the wire format is broken or
/// a span leaves its file; with NotFound if an external file is missing. What is merely odd is kept
/// as bytes.
Result<FileContents> readOnnx(ModelFiles& files, std::uint32_t file);

}  // namespace strata
