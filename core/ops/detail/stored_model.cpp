#include "core/ops/detail/stored_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "core/ops/detail/version_stream.h"
#include "core/progress_meter.h"
#include "core/store/catalog/tensor_state.h"

namespace strata {
namespace {

class FileSink final : public ByteSink {
 public:
  explicit FileSink(TempFile& file) : file_(file) {}
  Result<void> append(std::span<const std::byte> bytes) override { return file_.append(bytes); }

 private:
  TempFile& file_;
};

/// A kind that a newer program knows is none here.
TensorKind kindOf(const ManifestTensor& stored) {
  return stored.kind <= TensorKind::OptimizerState ? stored.kind : TensorKind::Unknown;
}

TensorInfo tensorOf(const ManifestTensor& stored, std::uint32_t file) {
  return TensorInfo{.name = stored.name,
                    .shape = stored.shape,
                    .offset = stored.offset,
                    .byteCount = byteCount(stored),
                    .file = file,
                    .type = stored.type,
                    .kind = kindOf(stored),
                    .place = {}};
}

Result<void> makeFolders(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!problem) return {};
  return fail(ErrorCode::Io, fmt::format("{}: {}", folder.string(), problem.message()));
}

FileKind kindOf(const ManifestFile& stored) {
  return stored.kind <= FileKind::Npz ? stored.kind : FileKind::Other;
}

}  // namespace

Result<std::unique_ptr<StoredModel>> StoredModel::open(const VersionReader& version,
                                                       const std::string& label, Device* device,
                                                       const ModelOpener& reader,
                                                       const std::stop_token& stop,
                                                       const ProgressSink& progress,
                                                       const IsWanted& isWanted) {
  const Manifest& manifest = version.manifest();
  std::map<std::size_t, std::uint32_t> numbers;  // of the files here, by that in the manifest
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    if (isWanted && !isWanted(manifest.files[i])) continue;
    numbers.emplace(i, static_cast<std::uint32_t>(numbers.size()));
    bytes += manifest.files[i].byteCount;
  }
  STRATA_TRY(ScratchFolders folders, ScratchFolders::make(bytes, 1));
  const std::filesystem::path folder = folders.take();
  std::unique_ptr<StoredModel> model(new StoredModel(std::move(folders), folder));
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(device, bytes));
  ProgressMeter meter(progress, "restoring", bytes);
  ModelDescription& description = model->description_;
  description.format = manifest.format;
  for (const auto& [i, number] : numbers) {
    // Under its own name: a graph names the files of its weights.
    const std::filesystem::path path = folder / manifest.files[i].path;
    STRATA_TRY(makeFolders(path.parent_path()));
    STRATA_TRY(TempFile file, TempFile::createAt(path));
    FileSink sink(file);
    STRATA_TRY(streamFile(version, i, sink, FileCheck::Level::Sha256, stop, meter, decoder));
    STRATA_TRY(MappedFile mapped, MappedFile::open(file.path()));
    description.files.push_back({manifest.files[i].path, kindOf(manifest.files[i]), mapped.bytes(),
                                 manifest.files[i].mode});
    model->files_.push_back(std::move(file));
    model->mapped_.push_back(std::move(mapped));
  }
  for (const ManifestTensor& stored : manifest.tensors) {
    const auto number = numbers.find(stored.file);
    if (number == numbers.end()) continue;
    description.tensors.push_back(tensorOf(stored, number->second));
  }
  for (const MetadataEntry& entry : manifest.metadata) {
    description.metadata.emplace_back(entry.key, entry.value);
  }
  if (reader) model->findPlaces(reader);
  meter.finish(label);
  return model;
}

Result<std::unique_ptr<StoredModel>> StoredModel::openToQuantize(
    const VersionReader& version, const std::string& label, Device* device,
    const ModelOpener& reader, const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(auto model, open(version, label, device, reader, stop, progress));
  STRATA_TRY(model->findChecksums(reader));
  return model;
}

Result<void> StoredModel::findChecksums(const ModelOpener& reader) {
  for (std::uint32_t f = 0; f < description_.files.size(); ++f) {
    const ModelFile& file = description_.files[f];
    if (file.kind != FileKind::PyTorch && file.kind != FileKind::Npz) continue;
    if (!reader) {
      return fail(ErrorCode::InvalidArgument,
                  file.path + ": has checksums of its weights, and no reader finds them");
    }
    const auto archive = reader(folder_ / file.path);
    if (!archive) return fail(archive.error());
    for (ChecksumField field : (*archive)->checksumFields()) {
      if (field.file != 0) continue;  // of a file beside it, which has its own turn
      field.file = f;
      checksums_.push_back(field);
    }
  }
  return {};
}

void StoredModel::findPlaces(const ModelOpener& reader) {
  using Span = std::tuple<std::string, std::uint64_t, std::uint64_t>;
  std::map<Span, std::string> places;
  for (const ModelFile& file : description_.files) {
    if (file.kind != FileKind::Onnx) continue;
    const auto graph = reader(folder_ / file.path);
    if (!graph) continue;
    const std::filesystem::path beside = std::filesystem::path(file.path).parent_path();
    const ModelDescription& read = (*graph)->description();
    for (const TensorInfo& tensor : read.tensors) {
      if (tensor.place.empty()) continue;
      const auto path = (beside / read.files[tensor.file].path).generic_string();
      places.emplace(Span(path, tensor.offset, tensor.byteCount), tensor.place.view());
    }
  }
  for (TensorInfo& tensor : description_.tensors) {
    const auto place =
        places.find(Span(description_.files[tensor.file].path, tensor.offset, tensor.byteCount));
    if (place != places.end()) tensor.place = std::string_view(place->second);
  }
}

}  // namespace strata
