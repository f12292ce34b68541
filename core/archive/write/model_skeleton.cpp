#include "core/archive/write/model_skeleton.h"

namespace strata {

std::vector<std::byte> skeletonOf(const ModelDescription& model, std::size_t file) {
  std::vector<std::byte> skeleton;
  const FileBytes& bytes = model.files[file].bytes;
  std::uint64_t end = 0;
  const auto take = [&](std::uint64_t until) {
    const std::size_t before = skeleton.size();
    skeleton.resize(before + (until - end));
    bytes.copy(end, std::span(skeleton).subspan(before));
  };
  for (const TensorInfo& tensor : model.tensors) {
    if (tensor.file != file) continue;
    take(tensor.offset);
    end = tensor.offset + tensor.byteCount;
  }
  take(bytes.size());
  return skeleton;
}

std::optional<std::uint32_t> likestFile(const Manifest& parent, const ModelFile& file) {
  std::optional<std::uint32_t> sameKind;
  for (std::uint32_t f = 0; f < parent.files.size(); ++f) {
    if (parent.files[f].path == file.path) return f;
    if (parent.files[f].kind == file.kind && !sameKind) sameKind = f;
  }
  return sameKind;
}

}  // namespace strata
