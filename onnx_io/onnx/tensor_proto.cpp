#include "onnx_io/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "onnx_io/utf8.h"

namespace strata {
namespace {

/// Field numbers of onnx.proto.
enum TensorField : std::uint32_t {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};

constexpr std::uint64_t kLocationExternal = 1;

/// Indexed by TensorProto.DataType, IR 13 and the 6-bit floats that follow it.
constexpr std::array<ElementType, 29> kOnnxTypes{
    ElementType::Bytes,      ElementType::F32,      ElementType::U8,         ElementType::I8,
    ElementType::U16,        ElementType::I16,      ElementType::I32,        ElementType::I64,
    ElementType::Bytes,      ElementType::Bool,     ElementType::F16,        ElementType::F64,
    ElementType::U32,        ElementType::U64,      ElementType::C64,        ElementType::C128,
    ElementType::BF16,       ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ, ElementType::F8E5M2,
    ElementType::F8E5M2FNUZ, ElementType::U4,       ElementType::I4,         ElementType::F4E2M1,
    ElementType::F8E8M0,     ElementType::U2,       ElementType::I2,         ElementType::F6E2M3,
    ElementType::F6E3M2,
};

Result<std::uint64_t> parseNumber(std::string_view key, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::CorruptData,
                fmt::format("external_data: {} is '{}', expected a number from 0 to 2^64 - 1", key,
                            toUtf8(text, 64)));
  }
  return number;
}

/// Gathers the fields of one TensorProto; what depends on several of them is settled at the end.
class TensorFields {
 public:
  explicit TensorFields(std::span<const std::byte> file) : file_(file) {}

  Result<void> visit(const WireField& field) {
    const bool isBytes = field.type == WireType::Bytes;
    switch (field.number) {
      case kDims:
        return forEachVarint(file_, field, [&](std::uint64_t dim) { addDimension(dim); });
      case kDataType:
        if (field.type == WireType::Varint) record_.type = elementTypeFromOnnx(field.value);
        return {};
      case kFloatData:
        if (isBytes) addChunk(record_.floatChunks, field.payload);
        return {};
      case kDoubleData:
        if (isBytes) addChunk(record_.doubleChunks, field.payload);
        return {};
      case kInt32Data:
      case kInt64Data:
      case kUint64Data:
      case kStringData:
        if (isBytes && field.payload.byteCount > kMinOpaqueBytes) {
          addChunk(record_.opaqueChunks, field.payload);
        }
        return {};
      case kName:
        if (isBytes) record_.name = textAt(file_, field.payload);
        return {};
      case kRawData:
        if (isBytes) record_.rawData = field.payload;  // the last one is the one readers see
        return {};
      case kExternalData:
        return isBytes ? visitEntry(field) : Result<void>();
      case kDataLocation:
        if (field.type == WireType::Varint) isExternal_ = field.value == kLocationExternal;
        return {};
      default:
        return {};
    }
  }

  Result<TensorRecord> finish() {
    if (!isExternal_) return std::move(record_);
    auto place = externalPlace();
    if (!place) return fail(place.error().within(toUtf8(record_.name, kMaxNameBytes)));
    record_.external = *place;
    return std::move(record_);
  }

 private:
  /// No producer writes a payload in so many runs; what follows them stays unnamed.
  static void addChunk(std::vector<ByteRange>& chunks, ByteRange range) {
    constexpr std::size_t kMaxChunks = 1024;
    if (chunks.size() < kMaxChunks) chunks.push_back(range);
  }

  void addDimension(std::uint64_t dim) {
    const bool isOdd = dim > static_cast<std::uint64_t>(INT64_MAX);
    if (isOdd || record_.dims.size() == kMaxRank) {
      record_.hasOddShape = true;
    } else {
      record_.dims.push_back(dim);
    }
  }

  Result<ExternalPlace> externalPlace() const {
    ExternalPlace place;
    if (!location_ || location_->empty()) {
      return fail(ErrorCode::CorruptData,
                  "external_data: no location, expected the path of a file");
    }
    place.location = *location_;
    if (offset_) {
      STRATA_TRY(place.offset, parseNumber("offset", *offset_));
    }
    if (length_) {
      STRATA_TRY(place.byteCount, parseNumber("length", *length_));
    }
    return place;
  }

  Result<void> visitEntry(const WireField& entry) {
    std::string_view key;
    std::string_view value;
    STRATA_TRY(forEachField(file_, std::span(&entry.payload, 1), [&](const WireField& field) {
      if (field.is(1, WireType::Bytes)) key = textAt(file_, field.payload);
      if (field.is(2, WireType::Bytes)) value = textAt(file_, field.payload);
      return Result<void>();
    }));
    if (key == "location") location_ = value;
    if (key == "offset") offset_ = value;
    if (key == "length") length_ = value;
    return {};
  }

  std::span<const std::byte> file_;
  TensorRecord record_;
  bool isExternal_ = false;
  std::optional<std::string_view> location_;
  std::optional<std::string_view> offset_;
  std::optional<std::string_view> length_;
};

std::string fragmentName(const std::string& name, std::size_t index) {
  return index == 0 ? name : fmt::format("{}#{}", name, index + 1);
}

/// A packed typed field: the tensor itself if it is all of it, else a row of its numbers.
TensorInfo describeChunk(const TensorRecord& record, std::string name, std::uint32_t file,
                         ByteRange range, ElementType elementType) {
  if (record.expectedBytes() == range.byteCount) {
    return describeSpan(record, std::move(name), file, range);
  }
  TensorInfo info = opaqueSpan(std::move(name), file, range);
  const std::uint64_t width = bitsPerElement(elementType) / 8;
  if (range.byteCount % width == 0) {
    info.type = elementType;
    info.shape = {range.byteCount / width};
  }
  return info;
}

}  // namespace

ElementType elementTypeFromOnnx(std::uint64_t dataType) noexcept {
  return dataType < kOnnxTypes.size() ? kOnnxTypes[dataType] : ElementType::Bytes;
}

Result<TensorRecord> readTensorProto(std::span<const std::byte> file,
                                     std::span<const ByteRange> parts) {
  TensorFields fields(file);
  STRATA_TRY(
      forEachField(file, parts, [&](const WireField& field) { return fields.visit(field); }));
  return fields.finish();
}

std::vector<TensorInfo> describeInlineSpans(const TensorRecord& record, const std::string& name,
                                            std::uint32_t file) {
  std::vector<TensorInfo> spans;
  const auto add = [&](TensorInfo info) {
    if (info.byteCount > 0) spans.push_back(std::move(info));
  };
  const auto nextName = [&] { return fragmentName(name, spans.size()); };
  if (record.rawData) add(describeSpan(record, nextName(), file, *record.rawData));
  for (const ByteRange& chunk : record.floatChunks) {
    add(describeChunk(record, nextName(), file, chunk, ElementType::F32));
  }
  for (const ByteRange& chunk : record.doubleChunks) {
    add(describeChunk(record, nextName(), file, chunk, ElementType::F64));
  }
  for (const ByteRange& chunk : record.opaqueChunks) add(opaqueSpan(nextName(), file, chunk));
  return spans;
}

}  // namespace strata
