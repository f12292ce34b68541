#include "onnx_io/array_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "core/checked_math.h"
#include "core/model/model_path.h"
#include "core/text/utf8_check.h"
#include "onnx_io/json_visitor.h"
#include "onnx_io/metadata_list.h"
#include "onnx_io/safetensors/safetensors_reader.h"
#include "onnx_io/span_tiling.h"
#include "onnx_io/tensor_role.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::size_t kLengthBytes = 8;

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// Bytes that type and shape ask for; nothing if they do not fill whole bytes.
std::optional<std::uint64_t> bytesOfShape(const ModelArray& array) {
  std::optional<std::uint64_t> count = 1;
  for (const std::uint64_t dimension : array.shape) {
    if (count) count = checkedMultiply(*count, dimension);
  }
  const std::uint64_t bits = bitsPerElement(array.type);
  const auto allBits = count ? checkedMultiply(*count, bits) : std::nullopt;
  if (!allBits || *allBits % 8 != 0) return std::nullopt;
  return *allBits / 8;
}

Result<void> checkArray(const ModelArray& array) {
  const bool isName = array.name != "__metadata__" && array.name.size() <= kMaxNameBytes;
  if (!isName || !isUtf8(array.name)) return refuse("is no name that a tensor can have");
  if (safetensorsName(array.type).empty()) {
    return refuse(fmt::format("safetensors files have no type {}", name(array.type)));
  }
  const auto expected = bytesOfShape(array);
  if (expected == array.bytes.size()) return {};
  return refuse(fmt::format("{} bytes, where {} [{}] has {}", array.bytes.size(), name(array.type),
                            fmt::join(array.shape, ", "),
                            expected ? std::to_string(*expected) : "no whole number of bytes"));
}

Result<void> checkArrays(const std::vector<ModelArray>& arrays) {
  std::unordered_set<std::string_view> names;
  for (const ModelArray& array : arrays) {
    auto checked = checkArray(array);
    if (checked && !names.insert(array.name).second) checked = refuse("is there twice");
    if (!checked) return fail(checked.error().within("array \"" + array.name + "\""));
  }
  return {};
}

/// Length and JSON, filled up with spaces so that the data begin at a multiple of 8.
Result<std::string> headerOf(const std::vector<ModelArray>& arrays,
                             const ArrayModelOptions& options) {
  std::vector<std::string> members;
  std::vector<std::string> metadata;
  std::unordered_set<std::string_view> keys;
  for (const auto& [key, value] : options.metadata) {
    if (!isUtf8(key) || !isUtf8(value)) return refuse("metadata is no UTF-8");
    if (!keys.insert(key).second) return refuse("metadata has \"" + key + "\" twice");
    metadata.push_back(quoted(key) + ":" + quoted(value));
  }
  if (!metadata.empty()) {
    members.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(metadata, ",")));
  }
  std::uint64_t at = 0;
  for (const ModelArray& array : arrays) {
    const std::uint64_t end = at + array.bytes.size();
    members.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                  quoted(array.name), safetensorsName(array.type),
                                  fmt::join(array.shape, ","), at, end));
    at = end;
  }
  std::string json = fmt::format("{{{}}}", fmt::join(members, ","));
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (json.size() > kMaxJsonBytes) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("names and shapes of {} arrays take {} bytes, at most {} are read",
                            arrays.size(), json.size(), kMaxJsonBytes));
  }
  std::string header;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    header += static_cast<char>(json.size() >> (8 * i) & 0xFF);
  }
  return header + json;
}

class ArrayModel final : public ModelSource {
 public:
  ArrayModel(std::string header, const std::vector<ModelArray>& arrays,
             const ArrayModelOptions& options)
      : header_(std::move(header)) {
    std::vector<std::span<const std::byte>> runs{std::as_bytes(std::span(header_))};
    std::vector<TensorInfo> tensors;
    std::uint64_t at = header_.size();
    for (const ModelArray& array : arrays) {
      runs.push_back(array.bytes);
      TensorInfo info;
      info.name = array.name;
      info.type = array.type;
      info.shape = array.shape;
      info.offset = at;
      info.byteCount = array.bytes.size();
      info.kind = kindOfStored(array.name, array.type, array.shape.size());
      if (info.byteCount > 0) tensors.push_back(std::move(info));
      at += array.bytes.size();
    }
    description_.format = "safetensors";
    description_.files.push_back({options.fileName, FileKind::Safetensors, FileBytes(runs)});
    description_.tensors = tileSpans(std::move(tensors), description_.files);
    MetadataList metadata;
    for (const auto& [key, value] : options.metadata) metadata.add(key, value);
    description_.metadata = metadata.pairs();
  }

  const ModelDescription& description() const noexcept override { return description_; }

 private:
  const std::string header_;
  ModelDescription description_;
};

}  // namespace

Result<std::unique_ptr<ModelSource>> modelOfArrays(const std::vector<ModelArray>& arrays,
                                                   const ArrayModelOptions& options) {
  if (!isModelPath(options.fileName) || options.fileName.find('/') != std::string::npos) {
    return refuse(fmt::format("\"{}\" is no name of a file", options.fileName));
  }
  STRATA_TRY(checkArrays(arrays));
  STRATA_TRY(std::string header, headerOf(arrays, options));
  return std::make_unique<ArrayModel>(std::move(header), arrays, options);
}

}  // namespace strata
