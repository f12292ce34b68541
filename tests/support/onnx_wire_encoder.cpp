#include "tests/support/onnx_wire_encoder.h"

#include <bit>
#include <utility>

namespace strata::test {
namespace {

std::string littleEndian(std::uint64_t value, int byteCount) {
  std::string out;
  for (int index = 0; index < byteCount; ++index) out += static_cast<char>(value >> (8 * index));
  return out;
}

std::string tag(std::uint32_t field, int wireType) {
  return encodeVarint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(wireType));
}

}  // namespace

std::string encodeVarint(std::uint64_t value, int extraBytes) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value | (extraBytes > 0 ? 0x80 : 0));
  for (int left = extraBytes; left > 0; --left) out += left > 1 ? '\x80' : '\0';
  return out;
}

WireMessage& WireMessage::varint(std::uint32_t field, std::uint64_t value, int extraBytes) {
  return raw(tag(field, 0) + encodeVarint(value, extraBytes));
}

WireMessage& WireMessage::bytes(std::uint32_t field, std::string_view value, int extraBytes) {
  return raw(tag(field, 2) + encodeVarint(value.size(), extraBytes)).raw(value);
}

WireMessage& WireMessage::message(std::uint32_t field, const WireMessage& value, int extraBytes) {
  return bytes(field, value.text(), extraBytes);
}

WireMessage& WireMessage::fixed32(std::uint32_t field, std::uint32_t value) {
  return raw(tag(field, 5) + littleEndian(value, 4));
}

WireMessage& WireMessage::fixed64(std::uint32_t field, std::uint64_t value) {
  return raw(tag(field, 1) + littleEndian(value, 8));
}

WireMessage& WireMessage::group(std::uint32_t field, const WireMessage& content) {
  return raw(tag(field, 3)).add(content).raw(tag(field, 4));
}

WireMessage& WireMessage::raw(std::string_view value) {
  text_ += value;
  return *this;
}

std::string floatBytes(std::size_t count, float first) {
  std::string out;
  for (std::size_t index = 0; index < count; ++index) {
    out += littleEndian(std::bit_cast<std::uint32_t>(first + static_cast<float>(index)), 4);
  }
  return out;
}

WireMessage onnxTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims) {
  WireMessage tensor;
  for (const std::uint64_t dim : dims) tensor.varint(1, dim);
  return tensor.varint(2, static_cast<std::uint64_t>(dataType)).bytes(8, name);
}

WireMessage onnxRawTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims,
                          std::string_view rawData) {
  return onnxTensor(name, dataType, std::move(dims)).bytes(9, rawData);
}

WireMessage onnxExternalTensor(std::string_view name, int dataType, std::vector<std::uint64_t> dims,
                               std::vector<std::pair<std::string, std::string>> entries) {
  WireMessage tensor = onnxTensor(name, dataType, std::move(dims));
  for (const auto& [key, value] : entries) {
    tensor.message(13, WireMessage().bytes(1, key).bytes(2, value));
  }
  return tensor.varint(14, 1);
}

WireMessage onnxNode(std::string_view opType, std::string_view name,
                     std::vector<std::string_view> inputs, std::vector<std::string_view> outputs) {
  WireMessage node;
  for (const std::string_view input : inputs) node.bytes(1, input);
  for (const std::string_view output : outputs) node.bytes(2, output);
  return node.bytes(3, name).bytes(4, opType);
}

WireMessage onnxAttribute(std::string_view name, std::uint32_t field, const WireMessage& value) {
  return WireMessage().bytes(1, name).message(field, value);
}

WireMessage onnxModel(const WireMessage& graph, int irVersion) {
  return WireMessage()
      .varint(1, static_cast<std::uint64_t>(irVersion))
      .bytes(2, "hand")
      .message(8, WireMessage().bytes(1, "").varint(2, 17))
      .message(7, graph);
}

std::string safetensorsFile(std::string_view header, std::string_view data) {
  return littleEndian(header.size(), 8).append(header).append(data);
}

}  // namespace strata::test
