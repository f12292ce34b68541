#include "onnx_io/onnx/tensor_collector.h"

#include <fmt/format.h>

#include <utility>

#include "core/checked_math.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

/// Shorter lists of an attribute are settings (scales, strides), not weights.
constexpr std::uint64_t kMinFloatsBytes = 64;
/// Shorter lists of 64-bit integers are shapes, axes and indices of the graph.
constexpr std::uint64_t kMinIntegersBytes = 64;

/// Whether a tensor belongs to the graph rather than to its weights: what exporters write by the
/// hundred between the nodes. It stays in the skeleton, where it costs no entry of the manifest.
bool isSetting(const TensorInfo& tensor, const WeightName& name) noexcept {
  if (name.isWeight) return false;
  if (tensor.type == ElementType::I64) return tensor.byteCount < kMinIntegersBytes;
  return name.isBetter && wordFormat(tensor.type).isFloat && elementCount(tensor) == 1;
}

/// Where the tensor's bytes lie in its external file. Without a length they are as many as type and
/// shape ask for, and the rest of the file where these do not tell.
Result<ByteRange> externalRange(const TensorRecord& record, std::uint64_t fileBytes) {
  const std::uint64_t offset = record.external->offset;
  if (offset > fileBytes) {
    return fail(
        ErrorCode::CorruptData,
        fmt::format("external_data: offset is {}, but the file has {} bytes", offset, fileBytes));
  }
  const std::uint64_t left = fileBytes - offset;
  const std::uint64_t byteCount =
      record.external->byteCount.value_or(record.expectedBytes().value_or(left));
  if (byteCount > left) {
    return fail(ErrorCode::CorruptData,
                fmt::format("external_data: {} bytes from offset {}, but the file has {} bytes",
                            byteCount, offset, fileBytes));
  }
  return ByteRange{offset, byteCount};
}

}  // namespace

void TensorCollector::add(TensorInfo span) {
  if (span.byteCount == 0 || contents_.tensors.size() == kMaxTensors) return;
  nameBytes_ += span.name.size();
  if (nameBytes_ > kMaxNamesBytes) span.name = fmt::format("@{}:{}", span.file, span.offset);
  contents_.tensors.push_back(std::move(span));
}

Result<void> TensorCollector::addExternal(const TensorRecord& record, const std::string& name) {
  STRATA_TRY(const std::uint32_t file, files_.resolve(file_, record.external->location));
  const ModelFile& external = files_.files()[file];
  const auto range = externalRange(record, external.bytes.size());
  if (!range) return fail(range.error().within(external.path));
  contents_.externalFiles.insert(file);
  noteMisfit(record, name, range->byteCount);
  add(describeSpan(record, name, file, *range));
  return {};
}

void TensorCollector::noteMisfit(const TensorRecord& record, const std::string& name,
                                 std::uint64_t byteCount) {
  std::string misfit = misfitOf(record, name, byteCount);
  if (!misfit.empty()) contents_.oddTensors.push_back(std::move(misfit));
}

Result<FoundWeight> TensorCollector::addTensor(std::span<const ByteRange> parts,
                                               const WeightName& name) {
  STRATA_TRY(const TensorRecord record, readTensorProto(bytes(), parts));
  std::string shown = toUtf8(record.name, kMaxNameBytes);
  if (name.isBetter || shown.empty()) shown = name.text;
  if (shown.empty()) shown = fmt::format("@{}", parts.empty() ? 0 : parts.front().offset);
  const std::size_t first = contents_.tensors.size();
  if (record.external) {
    const auto added = addExternal(record, shown);
    if (!added) return fail(added.error().within(shown));
  } else {
    if (record.rawData) noteMisfit(record, shown, record.rawData->byteCount);
    for (TensorInfo& span : describeInlineSpans(record, shown, file_)) {
      if (!isSetting(span, name)) add(std::move(span));
    }
  }
  const std::size_t count = contents_.tensors.size() - first;
  return FoundWeight{record.name, {first, count, record.dims.size()}};
}

Result<FoundWeight> TensorCollector::addSparse(std::span<const ByteRange> parts,
                                               const WeightName& name) {
  MessageParts values;
  MessageParts indices;
  STRATA_TRY(forEachField(bytes(), parts, [&](const WireField& field) {
    if (field.is(1, WireType::Bytes)) return addPart(values, field);
    if (field.is(2, WireType::Bytes)) return addPart(indices, field);
    return Result<void>();
  }));
  auto found = addTensor(values, {name.text, name.isBetter, true});
  if (!found) return fail(found.error().within("values"));
  const std::string own = toUtf8(found->name, kMaxNameBytes);
  const std::string stem = name.isBetter || own.empty() ? name.text : own;
  const auto added = addTensor(indices, {stem + ".indices", name.isBetter, true});
  if (!added) return fail(added.error().within("indices"));
  return found;
}

Result<FoundWeight> TensorCollector::addFloats(ByteRange range, const WeightName& name) {
  const std::size_t first = contents_.tensors.size();
  const std::uint64_t minBytes = name.isBetter ? 2 * sizeof(float) : kMinFloatsBytes;
  if (range.byteCount >= minBytes) {
    TensorInfo span = opaqueSpan(name.text, file_, range);
    if (range.byteCount % 4 == 0) {
      span.type = ElementType::F32;
      span.shape = {range.byteCount / 4};
    }
    add(std::move(span));
  }
  return FoundWeight{{}, {first, contents_.tensors.size() - first, 1}};
}

}  // namespace strata
