#include "onnx_io/tensor_span.h"

#include <fmt/format.h>

#include <utility>

#include "core/checked_math.h"
#include "core/text/wording.h"

namespace strata {

std::optional<std::uint64_t> DeclaredTensor::expectedBytes() const noexcept {
  if (hasOddShape || type == ElementType::Bytes) return std::nullopt;
  std::uint64_t count = 1;
  for (const std::uint64_t dim : dims) {
    const auto product = checkedMultiply(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return bytesOfElements(type, count);
}

TensorInfo opaqueSpan(std::string name, std::uint32_t file, ByteRange range) {
  TensorInfo info;
  info.name = std::move(name);
  info.shape = {range.byteCount};
  info.file = file;
  info.offset = range.offset;
  info.byteCount = range.byteCount;
  return info;
}

TensorInfo describeSpan(const DeclaredTensor& declared, std::string name, std::uint32_t file,
                        ByteRange range) {
  TensorInfo info = opaqueSpan(std::move(name), file, range);
  if (declared.expectedBytes() == range.byteCount) {
    info.type = declared.type;
    info.shape = declared.dims;
  }
  return info;
}

std::string misfitOf(const DeclaredTensor& declared, const std::string& name,
                     std::uint64_t byteCount) {
  if (declared.hasOddShape || declared.type == ElementType::Bytes) return {};
  const auto expected = declared.expectedBytes();
  if (expected == byteCount) return {};
  return fmt::format("{}: {} bytes, where {} {} has {}", name, byteCount,
                     strata::name(declared.type), wordShape(declared.dims),
                     expected ? std::to_string(*expected) : std::string("more than 2^64"));
}

}  // namespace strata
