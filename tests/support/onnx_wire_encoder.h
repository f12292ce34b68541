#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::test {

/// Writes protobuf messages by hand, in the odd forms too that no library writes but every parser
/// takes: long varints, any order, fields twice, groups.
class WireMessage {
 public:
  /// `extraBytes` of padding make the number longer than it must be.
  WireMessage& varint(std::uint32_t field, std::uint64_t value, int extraBytes = 0);
  WireMessage& bytes(std::uint32_t field, std::string_view value, int extraBytes = 0);
  WireMessage& message(std::uint32_t field, const WireMessage& value, int extraBytes = 0);
  WireMessage& fixed32(std::uint32_t field, std::uint32_t value);
  WireMessage& fixed64(std::uint32_t field, std::uint64_t value);
  WireMessage& group(std::uint32_t field, const WireMessage& content);
  /// Bytes as they are.
  WireMessage& raw(std::string_view value);
  WireMessage& add(const WireMessage& fields) { return raw(fields.text()); }

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// `extraBytes` 0x80 bytes before the end make it non-canonical.
std::string encodeVarint(std::uint64_t value, int extraBytes = 0);

/// Packed little-endian floats 1, 2, 3 … as bytes.
std::string floatBytes(std::size_t count, float first = 1);

// Messages of onnx.proto, as little of them as a test needs.
WireMessage onnxTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims);
WireMessage onnxRawTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims,
                          std::string_view rawData);
/// The pairs are external_data entries.
WireMessage onnxExternalTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims,
                               std::vector<std::pair<std::string, std::string>> entries);
WireMessage onnxNode(std::string_view opType, std::string_view name,
                     std::vector<std::string_view> inputs, std::vector<std::string_view> outputs);
/// Field numbers: 5 tensor, 6 subgraph, 7 floats, 10 tensors, 11 subgraphs, 22 and 23 sparse.
WireMessage onnxAttribute(std::string_view name, std::uint32_t field, const WireMessage& value);
/// A model with ir_version, one opset and this graph.
WireMessage onnxModel(const WireMessage& graph, int irVersion = 8);

/// Field numbers of GraphProto.
inline constexpr std::uint32_t kNodeField = 1;
inline constexpr std::uint32_t kInitializerField = 5;
inline constexpr std::uint32_t kSparseInitializerField = 15;
/// Field number of NodeProto.
inline constexpr std::uint32_t kAttributeField = 5;

/// A safetensors file: header length, header, data.
std::string safetensorsFile(std::string_view header, std::string_view data);

}  // namespace strata::test
