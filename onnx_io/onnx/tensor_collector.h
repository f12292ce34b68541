#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "onnx_io/file_contents.h"
#include "onnx_io/model_files.h"
#include "onnx_io/onnx/tensor_proto.h"
#include "onnx_io/onnx/weight_uses.h"
#include "onnx_io/onnx/wire_reader.h"

namespace strata {

/// How a weight is called if its own name does not serve.
struct WeightName {
  std::string text;
  bool isBetter = false;  ///< than the tensor's own name, even if it has one: in a Constant node
  bool isWeight = false;  ///< however small it is: not one of the graph's settings
};

/// A weight that was added.
struct FoundWeight {
  std::string_view name;  ///< its own name in the file; may be empty
  WeightRange range;
};

/// Turns the tensors of one ONNX file into spans, following them to their external files.
class TensorCollector {
 public:
  /// `files` and `contents` must outlive the collector; `file` is the ONNX file's number.
  TensorCollector(ModelFiles& files, std::uint32_t file, FileContents& contents)
      : files_(files), file_(file), contents_(contents) {}

  /// The parts of a TensorProto. Fails with CorruptData, naming the tensor, and as
  /// ModelFiles::resolve does.
  Result<FoundWeight> addTensor(std::span<const ByteRange> parts, const WeightName& name);
  /// The parts of a SparseTensorProto: its values under their name, its indices as `name.indices`.
  Result<FoundWeight> addSparse(std::span<const ByteRange> parts, const WeightName& name);
  /// A packed list of floats in an attribute.
  Result<FoundWeight> addFloats(ByteRange range, const WeightName& name);

 private:
  std::span<const std::byte> bytes() const { return files_.files()[file_].bytes.whole(); }
  Result<void> addExternal(const TensorRecord& record, const std::string& name);
  void noteMisfit(const TensorRecord& record, const std::string& name, std::uint64_t byteCount);
  void add(TensorInfo span);

  ModelFiles& files_;
  std::uint32_t file_;
  FileContents& contents_;
  std::uint64_t nameBytes_ = 0;  ///< of all spans so far; past kMaxNamesBytes places name them
};

}  // namespace strata
