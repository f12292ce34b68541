#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/model_source.h"

namespace strata {

/// A stretch of a file.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t byteCount = 0;

  std::uint64_t end() const noexcept { return offset + byteCount; }
};

/// A weight as its format declares it. All numbers are untrusted.
struct DeclaredTensor {
  ElementType type = ElementType::Bytes;  ///< Bytes where the type has no fixed width for Strata
  std::vector<std::uint64_t> dims;
  bool hasOddShape = false;  ///< a negative dimension or more of them than anyone uses

  /// Bytes that type and dims ask for; nothing if they do not tell.
  std::optional<std::uint64_t> expectedBytes() const noexcept;
};

/// One span of a weight: type and shape where its bytes match them, opaque bytes otherwise.
TensorInfo describeSpan(const DeclaredTensor& declared, std::string name, std::uint32_t file,
                        ByteRange range);

/// "w: 60 bytes, where f32 4x4 has 64"; empty where the bytes are as many as type and shape ask
/// for, or those do not tell.
std::string misfitOf(const DeclaredTensor& declared, const std::string& name,
                     std::uint64_t byteCount);

/// An opaque span: type Bytes, shape {byteCount}.
TensorInfo opaqueSpan(std::string name, std::uint32_t file, ByteRange range);

/// More dimensions than this are taken for nonsense and the tensor for bytes.
inline constexpr std::size_t kMaxRank = 64;

}  // namespace strata
