#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/model/model_source.h"

namespace strata {

/// A file of a model as ModelView knows it.
struct ViewedFile {
  std::string path;
  std::uint64_t byteCount = 0;
  std::optional<Digest> sha256;  ///< of a stored version
};

/// A tensor of a model as ModelView knows it.
struct ViewedTensor {
  std::string name;
  ElementType type = ElementType::Bytes;
  std::vector<std::uint64_t> shape;
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t byteCount = 0;
  std::optional<std::uint64_t> checksum;     ///< XXH3-64, of a stored version
  std::optional<std::uint64_t> storedBytes;  ///< of a stored version
  std::string place;                         ///< TensorInfo::place, outside of a store
  TensorKind kind = TensorKind::Unknown;
};

/// A stored version and a model outside the store, read alike. Safe to use from several threads.
class ModelView {
 public:
  explicit ModelView(std::shared_ptr<const VersionReader> reader);
  /// `model` must outlive the view.
  explicit ModelView(const ModelSource& model);

  const std::vector<ViewedFile>& files() const noexcept { return files_; }
  const std::vector<ViewedTensor>& tensors() const noexcept { return tensors_; }
  /// Fills `out` with bytes of a file; the range must lie in it. Fails as VersionReader::read.
  Result<void> read(std::size_t file, std::uint64_t offset, std::span<std::byte> out) const;

  bool isStored() const noexcept { return reader_ != nullptr; }
  /// Bytes of a model outside of a store, without reading them.
  const FileBytes& mappedFile(std::size_t file) const {
    return model_->description().files[file].bytes;
  }
  std::span<const std::byte> mapped(const ViewedTensor& tensor) const {
    return mappedFile(tensor.file).of(tensor.offset, tensor.byteCount);
  }

 private:
  std::shared_ptr<const VersionReader> reader_;
  const ModelSource* model_ = nullptr;
  std::vector<ViewedFile> files_;
  std::vector<ViewedTensor> tensors_;
};

}  // namespace strata
