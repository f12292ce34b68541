#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"
#include "onnx_io/onnx/wire_reader.h"
#include "onnx_io/tensor_span.h"

namespace strata {

/// Where a tensor's bytes lie outside of the ONNX file. Only the keys that mean a place are read:
/// other keys of external_data (checksum, the prepacked weights of a runtime) never steer us.
struct ExternalPlace {
  std::string_view location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> byteCount;
};

/// An ONNX TensorProto, with its payloads left where they are. Views point into the mapped file.
struct TensorRecord : DeclaredTensor {
  std::string_view name;
  std::optional<ByteRange> rawData;
  std::vector<ByteRange> floatChunks;   ///< packed float_data, one for each time the field occurs
  std::vector<ByteRange> doubleChunks;  ///< packed double_data
  /// Large payloads without a fixed width per element: packed varints and strings.
  std::vector<ByteRange> opaqueChunks;
  std::optional<ExternalPlace> external;
};

/// Reads the parts of one TensorProto, merged as protobuf would. Fails with CorruptData.
Result<TensorRecord> readTensorProto(std::span<const std::byte> file,
                                     std::span<const ByteRange> parts);

/// All spans of the record that lie in the ONNX file itself, as fragments `name`, `name#2` and so
/// on, in the order of the payload's fields.
std::vector<TensorInfo> describeInlineSpans(const TensorRecord& record, const std::string& name,
                                            std::uint32_t file);

/// Strata's type for a number of TensorProto.DataType; Bytes for strings and unknown ones.
ElementType elementTypeFromOnnx(std::uint64_t dataType) noexcept;

/// Packed varints and single strings over this size become a span of their own.
inline constexpr std::uint64_t kMinOpaqueBytes = 64 * 1024;

}  // namespace strata
