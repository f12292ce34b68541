#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "onnx_io/file_contents.h"
#include "onnx_io/model_files.h"

namespace strata {

/// Whether a file begins as a safetensors file does: a header length and a JSON object.
bool looksLikeSafetensors(std::span<const std::byte> file) noexcept;

/// Finds the tensors of a safetensors file. Holes between tensors are no error, since the bytes are
/// kept; an unknown dtype, or one that does not fit shape and bytes, makes a tensor opaque bytes.
/// Fails with CorruptData if the header is malformed, or if offsets leave the file or overlap.
Result<FileContents> readSafetensors(const ModelFiles& files, std::uint32_t file);

/// The shard files that the index of a sharded set names, each with the tensors that it should
/// hold. Empty if the JSON is no such index. Fails with CorruptData, for JSON that is malformed.
using ShardedTensors = std::map<std::string, std::vector<std::string>>;
Result<ShardedTensors> readShards(std::span<const std::byte> index);

/// The first of `names` that a safetensors file lacks; nothing if it has all of them.
/// Fails as readSafetensors.
Result<std::optional<std::string>> firstMissing(std::span<const std::byte> file,
                                                const std::vector<std::string>& names);

/// Those without elements, which have no bytes, so that a model does not list them. Fails as
/// readSafetensors.
Result<std::vector<TensorInfo>> safetensorsWithoutElements(const FileBytes& file);

/// The dtype word of a type, "F32"; empty for one that safetensors files do not have.
std::string_view safetensorsName(ElementType type) noexcept;

/// Type of a dtype word; nothing for one that is not known.
std::optional<ElementType> elementTypeFromSafetensors(std::string_view dtype) noexcept;

}  // namespace strata
