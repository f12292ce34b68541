#include "core/ops/inspect/detail/model_view.h"

#include <utility>

#include "core/store/catalog/tensor_state.h"

namespace strata {

ModelView::ModelView(std::shared_ptr<const VersionReader> reader) : reader_(std::move(reader)) {
  const Manifest& manifest = reader_->manifest();
  for (const ManifestFile& file : manifest.files) {
    files_.push_back({file.path, file.byteCount, file.sha256});
  }
  for (const ManifestTensor& tensor : manifest.tensors) {
    ViewedTensor viewed;
    viewed.name = tensor.name;
    viewed.type = tensor.type;
    viewed.shape = tensor.shape;
    viewed.file = tensor.file;
    viewed.offset = tensor.offset;
    viewed.byteCount = byteCount(tensor);
    viewed.checksum = tensor.checksum;
    viewed.storedBytes = storedBytes(tensor);
    viewed.kind = tensor.kind;
    tensors_.push_back(std::move(viewed));
  }
}

ModelView::ModelView(const ModelSource& model) : model_(&model) {
  const ModelDescription& description = model.description();
  for (const ModelFile& file : description.files) {
    files_.push_back({file.path, file.bytes.size(), std::nullopt});
  }
  for (const TensorInfo& tensor : description.tensors) {
    tensors_.push_back({tensor.name, tensor.type, tensor.shape, tensor.file, tensor.offset,
                        tensor.byteCount, std::nullopt, std::nullopt,
                        std::string(tensor.place.view()), tensor.kind});
  }
}

Result<void> ModelView::read(std::size_t file, std::uint64_t offset,
                             std::span<std::byte> out) const {
  if (reader_) return reader_->read(file, offset, out);
  mappedFile(file).copy(offset, out);
  return {};
}

}  // namespace strata
