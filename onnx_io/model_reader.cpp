#include "onnx_io/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "onnx_io/model_files.h"
#include "onnx_io/onnx/onnx_walker.h"
#include "onnx_io/safetensors/safetensors_reader.h"
#include "onnx_io/span_tiling.h"
#include "onnx_io/torch/optimizer_groups.h"
#include "onnx_io/torch/pickle_reader.h"
#include "onnx_io/utf8.h"
#include "onnx_io/zip/archive_reader.h"
#include "onnx_io/zip/zip_checksums.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// In the metadata: what is stored as bytes, and why.
constexpr std::string_view kAsBytesKey = "stored as bytes";

constexpr std::string_view kTorchIndex = ".bin.index.json";

/// Whether a file is the index of a sharded set by its name.
bool isNamedIndex(std::string_view path) noexcept {
  return path.ends_with(".safetensors.index.json") || path.ends_with(kTorchIndex);
}

class OpenedModel final : public ModelSource {
 public:
  OpenedModel(ModelFiles files, ModelDescription description)
      : files_(std::move(files)), description_(std::move(description)) {}
  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return files_.checkUnchanged(); }
  std::vector<ChecksumField> checksumFields() const override {
    std::vector<ChecksumField> fields;
    for (std::uint32_t f = 0; f < description_.files.size(); ++f) {
      const ModelFile& file = description_.files[f];
      if (file.kind != FileKind::PyTorch && file.kind != FileKind::Npz) continue;
      const auto more = zipChecksumFields(file.bytes.whole(), f);
      fields.insert(fields.end(), more.begin(), more.end());
    }
    return fields;
  }

 private:
  ModelFiles files_;  ///< owns what the description views
  ModelDescription description_;
};

std::string_view textOf(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What a repository holds in a file's place until `git lfs pull` fetched it.
bool isLfsPointer(std::span<const std::byte> bytes) noexcept {
  return textOf(bytes).starts_with("version https://git-lfs");
}

/// Whether the file begins as text does: with characters, tabs and line ends alone. A few bytes
/// tell nothing.
bool isText(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t kLeast = 16;
  constexpr std::size_t kLooked = 512;
  const std::string_view start = textOf(bytes.first(std::min(bytes.size(), kLooked)));
  if (start.size() < kLeast) return false;
  const bool isVisible = std::all_of(start.begin(), start.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code >= 0x20 && code != 0x7F) || letter == '\t' || letter == '\n' || letter == '\r';
  });
  // The last character may be cut.
  std::size_t end = start.size();
  while (end + 4 > start.size() && !isUtf8(start.substr(0, end))) --end;
  return isVisible && isUtf8(start.substr(0, end));
}

/// What a file is that is no model.
struct OtherKind {
  std::string_view what = {};  ///< "a GGUF file"; empty where that cannot be told
  std::string_view way = {};   ///< how a model comes out of it, if it holds one
};

OtherKind kindOf(std::span<const std::byte> bytes) noexcept {
  constexpr std::string_view kFromTorch =
      "read it with torch.load and write it with safetensors.torch.save_file";
  const std::string_view text = textOf(bytes);
  if (bytes.empty()) return {"empty"};
  if (isLfsPointer(bytes)) return {"a git-lfs pointer to a file"};
  if (text.starts_with("GGUF")) {
    return {"a GGUF file",
            "store what it was converted from, or read it with transformers (gguf_file=) and write "
            "it with save_pretrained"};
  }
  if (looksLikeZip(bytes)) return {"a zip archive in which no tensors are found"};
  if (looksLikePickle(bytes)) return {"a Python pickle", kFromTorch};
  if (text.starts_with("\x93NUMPY")) {
    return {"a NumPy array without a name", "numpy.savez gives it one, in an .npz file"};
  }
  if (text.starts_with("\x89HDF")) return {"an HDF5 file"};
  return isText(bytes) ? OtherKind{"text"} : OtherKind{};
}

tl::unexpected<Error> noModel(const std::string& path, std::span<const std::byte> bytes) {
  const OtherKind kind = kindOf(bytes);
  return fail(
      ErrorCode::Unsupported,
      fmt::format("{}: not an ONNX model, a safetensors, PyTorch or .npz file or a folder with "
                  "such files: it is {}{}{}",
                  path, kind.what.empty() ? "something else" : kind.what,
                  kind.way.empty() ? "" : "; ", kind.way));
}

/// Reads models out of the files of one ModelFiles and puts the outcome together.
class ModelAssembly {
 public:
  explicit ModelAssembly(ModelFiles files) : files_(std::move(files)) {}

  Result<void> readSingle();
  Result<void> readFolder();
  Result<void> checkUnchanged() const { return files_.checkUnchanged(); }
  /// Files in which no model was found are files all the same.
  void keepForeign() {
    if (description_.format != "folder") description_.format = "bytes";
  }
  std::unique_ptr<ModelSource> finish();

 private:
  enum class Format { None, Onnx, Safetensors, Zip };

  Format formatByContent(std::uint32_t file) const;
  Result<void> readAs(Format format, std::uint32_t file);
  bool readZip(std::uint32_t file);
  void addOptimizers(std::uint32_t file);
  bool keepAsBytes(std::uint32_t file);
  Result<void> readOnnxOrExplain(std::uint32_t file);
  Result<void> readSafetensorsOrExplain(std::uint32_t file);
  Result<bool> readIndex(std::uint32_t file);
  Result<void> checkShards(std::uint32_t file);
  Result<void> checkHolds(const std::string& index, std::uint32_t shard,
                          const std::vector<std::string>& tensors) const;
  void take(std::uint32_t file, FileKind kind, FileContents contents);
  void mergeMetadata();
  void sortFiles(std::vector<TensorInfo>& tensors, std::vector<ModelFile>& files) const;

  const ModelFile& at(std::uint32_t file) const { return files_.files()[file]; }

  ModelFiles files_;
  ModelDescription description_;
  std::vector<TensorInfo> found_;
  std::vector<std::pair<std::string, MetadataList::Pairs>> metadata_;  ///< by file
  std::vector<std::string> asBytes_;
  bool hasModel_ = false;
  ArchiveReader archives_;
};

ModelAssembly::Format ModelAssembly::formatByContent(std::uint32_t file) const {
  const auto bytes = at(file).bytes.whole();
  if (looksLikeSafetensors(bytes)) return Format::Safetensors;
  if (looksLikeZip(bytes)) return Format::Zip;
  const OnnxSigns signs = examineOnnx(bytes);
  const bool isOnnx =
      !signs.problem && signs.hasGraph && signs.startsWithVersion && !signs.hasForeignField;
  return isOnnx ? Format::Onnx : Format::None;
}

Result<void> ModelAssembly::readAs(Format format, std::uint32_t file) {
  if (format == Format::Safetensors) {
    STRATA_TRY(auto contents, readSafetensors(files_, file));
    take(file, FileKind::Safetensors, std::move(contents));
  } else {
    STRATA_TRY(auto contents, readOnnx(files_, file));
    take(file, FileKind::Onnx, std::move(contents));
  }
  return {};
}

/// False if it is no zip archive, or none of a model.
bool ModelAssembly::readZip(std::uint32_t file) {
  if (!looksLikeZip(at(file).bytes.whole())) return false;
  ArchiveContents read = archives_.read(files_, file);
  const bool isModel = read.kind != FileKind::Other || !read.contents.asBytes.empty();
  if (isModel) take(file, read.kind, std::move(read.contents));
  if (read.kind == FileKind::PyTorch) addOptimizers(file);
  return isModel;
}

/// For coding its state by the steps that it took: a file that says nothing of them is one without.
void ModelAssembly::addOptimizers(std::uint32_t file) {
  const auto optimizers = readOptimizerGroups(at(file).bytes.whole());
  if (!optimizers) return;
  for (const OptimizerGroups& optimizer : *optimizers) {
    for (OptimizerInfo& info : optimizerInfos(optimizer)) {
      description_.optimizers.push_back(std::move(info));
    }
  }
}

/// False if a file is none that PyTorch writes in a form of which only the bytes are known.
bool ModelAssembly::keepAsBytes(std::uint32_t file) {
  if (!isNamedArchive(at(file))) return false;
  FileContents contents;
  contents.asBytes.push_back(whyBytes(at(file)));
  take(file, FileKind::Other, std::move(contents));
  return true;
}

/// For a file that is expected to be ONNX but does not look it: a broken model or no model at all.
Result<void> ModelAssembly::readOnnxOrExplain(std::uint32_t file) {
  const ModelFile& source = at(file);
  const OnnxSigns signs = examineOnnx(source.bytes.whole());
  const bool isNamedSo = source.path.ends_with(".onnx");
  if (!signs.problem && signs.hasGraph && isNamedSo) return readAs(Format::Onnx, file);
  const bool isLikely =
      isNamedSo ? signs.knownFields > 0 : signs.startsWithVersion && signs.knownFields > 1;
  if (signs.problem && isLikely) return fail(signs.problem->within(source.path));
  return noModel(source.path, source.bytes.whole());
}

/// For a file that is named safetensors but does not begin as one.
Result<void> ModelAssembly::readSafetensorsOrExplain(std::uint32_t file) {
  const ModelFile& source = at(file);
  const bool isOther = !source.bytes.empty() && !kindOf(source.bytes.whole()).what.empty();
  if (isOther) return noModel(source.path, source.bytes.whole());
  return readAs(Format::Safetensors, file);
}

/// False if the file is no index of a sharded set.
Result<bool> ModelAssembly::readIndex(std::uint32_t file) {
  const ModelFile source = at(file);
  const bool isNamedSo = isNamedIndex(source.path);
  if (!isNamedSo && !textOf(source.bytes.whole()).starts_with('{')) return false;
  const auto shards = readShards(source.bytes.whole());
  if (!isNamedSo && (!shards || shards->empty())) return false;
  if (!shards) return fail(shards.error().within(source.path));
  if (shards->empty()) {
    return fail(ErrorCode::CorruptData, source.path + ": weight_map names no file");
  }
  for (const auto& [name, tensors] : *shards) {
    const auto shard = files_.resolve(file, name);
    if (!shard) return fail(shard.error().within(source.path));
    // "./a" and "a" are one file.
    const bool isRead = at(*shard).kind != FileKind::Other;
    if (isNamedArchive(at(*shard))) {
      if (!isRead && !readZip(*shard)) keepAsBytes(*shard);
      description_.format = "pytorch";
      continue;
    }
    if (!isRead) STRATA_TRY(readAs(Format::Safetensors, *shard));
    STRATA_TRY(checkHolds(source.path, *shard, tensors));
  }
  return true;
}

/// Weights that the index names and a shard lacks would be missed only when they are loaded.
Result<void> ModelAssembly::checkHolds(const std::string& index, std::uint32_t shard,
                                       const std::vector<std::string>& tensors) const {
  const ModelFile& file = at(shard);
  const auto missing = firstMissing(file.bytes.whole(), tensors);
  if (!missing) return fail(missing.error().within(file.path));
  if (!*missing) return {};
  return fail(ErrorCode::NotFound,
              fmt::format("{}: names the tensor {}, which is not in {}; the model is not whole",
                          index, toUtf8(**missing, kMaxNameBytes), file.path));
}

/// An index in a folder, whose files are all known: a shard that is not there was not copied yet.
Result<void> ModelAssembly::checkShards(std::uint32_t file) {
  const std::string path = at(file).path;
  const auto shards = readShards(at(file).bytes.whole());
  if (!shards) return {};  // a file of the folder like others
  // Downloads without PyTorch's form of the weights leave its index.
  const bool isLeftOver = path.ends_with(kTorchIndex) &&
                          std::none_of(shards->begin(), shards->end(), [&](const auto& one) {
                            return files_.resolve(file, one.first).has_value();
                          });
  if (isLeftOver) return {};
  for (const auto& [name, tensors] : *shards) {
    const auto shard = files_.resolve(file, name);
    // One that is no safetensors file is refused as such.
    const bool isOne = shard && looksLikeSafetensors(at(*shard).bytes.whole());
    if (isOne) STRATA_TRY(checkHolds(path, *shard, tensors));
    if (shard) continue;
    if (shard.error().code != ErrorCode::NotFound) return fail(shard.error().within(path));
    return fail(ErrorCode::NotFound,
                fmt::format("{}: names {}, which is not in the folder; the model is not whole",
                            path, toUtf8(name, kMaxNameBytes)));
  }
  return {};
}

Result<void> ModelAssembly::readSingle() {
  const Format format = formatByContent(0);
  description_.format = "pytorch";
  if (format == Format::Zip ? readZip(0) : format == Format::None && keepAsBytes(0)) {
    if (at(0).kind == FileKind::Npz) description_.format = "npz";
    return {};
  }
  if (format == Format::Zip) return noModel(at(0).path, at(0).bytes.whole());
  description_.format = format == Format::Safetensors ? "safetensors" : "onnx";
  if (format != Format::None) return readAs(format, 0);
  description_.format = "safetensors";
  STRATA_TRY(const bool isIndex, readIndex(0));
  if (isIndex) return {};
  if (at(0).path.ends_with(".safetensors")) return readSafetensorsOrExplain(0);
  description_.format = "onnx";
  return readOnnxOrExplain(0);
}

Result<void> ModelAssembly::readFolder() {
  description_.format = "folder";
  const auto count = static_cast<std::uint32_t>(files_.files().size());
  for (std::uint32_t file = 0; file < count; ++file) {
    const std::string path = at(file).path;
    if (isNamedIndex(path)) STRATA_TRY(checkShards(file));
    const Format format = formatByContent(file);
    if (format == Format::Zip ? readZip(file) : format == Format::None && keepAsBytes(file)) {
      continue;
    }
    const bool isNamedOnnx = path.ends_with(".onnx");
    const bool isNamedSo = isNamedOnnx || path.ends_with(".safetensors");
    const bool isRead = format == Format::Onnx || format == Format::Safetensors;
    if (!isRead && !isNamedSo) continue;
    auto done = isRead        ? readAs(format, file)
                : isNamedOnnx ? readOnnxOrExplain(file)
                              : readSafetensorsOrExplain(file);
    // What only looked like a model by chance is one of the other files.
    if (!done && isNamedSo) return done;
  }
  if (hasModel_) return {};
  std::string found = fmt::format("no file of a model among its {} files", count);
  for (const ModelFile& other : files_.files()) {
    const OtherKind kind = kindOf(other.bytes.whole());
    if (kind.way.empty()) continue;
    found += fmt::format("; {} is {}: {}", other.path, kind.what, kind.way);
    break;
  }
  return fail(ErrorCode::Unsupported, std::move(found));
}

void ModelAssembly::take(std::uint32_t file, FileKind kind, FileContents contents) {
  files_.setKind(file, kind);
  for (const std::uint32_t external : contents.externalFiles) {
    if (at(external).kind == FileKind::Other) files_.setKind(external, FileKind::ExternalData);
  }
  if (found_.empty()) {
    found_ = std::move(contents.tensors);
  } else {
    found_.insert(found_.end(), std::make_move_iterator(contents.tensors.begin()),
                  std::make_move_iterator(contents.tensors.end()));
  }
  hasModel_ = true;
  // Files beside the weights that say nothing of themselves do not count where all say the same.
  const bool isWeights = kind == FileKind::Onnx || kind == FileKind::Safetensors;
  if (isWeights) metadata_.emplace_back(at(file).path, contents.metadata.pairs());
  asBytes_.insert(asBytes_.end(), contents.asBytes.begin(), contents.asBytes.end());
  for (std::string& odd : contents.oddTensors) description_.oddTensors.push_back(std::move(odd));
}

/// What all files of a set say alike stands once; where they differ, each has its path in front.
void ModelAssembly::mergeMetadata() {
  MetadataList merged;
  const bool isAlike = std::all_of(metadata_.begin(), metadata_.end(), [&](const auto& one) {
    return one.second == metadata_.front().second;
  });
  for (const auto& [path, pairs] : metadata_) {
    for (const auto& [key, value] : pairs) merged.add(isAlike ? key : path + ": " + key, value);
    if (isAlike) break;
  }
  for (const std::string& line : asBytes_) merged.add(kAsBytesKey, line);
  for (const std::string& path : files_.skipped()) merged.add("skipped", path);
  for (const std::string& path : files_.linkNames()) merged.add("link", path);
  for (const std::string& path : files_.emptyFolders()) merged.add(kEmptyFolderKey, path);
  description_.metadata = merged.pairs();
}

/// Brings the files into the order of their paths and renumbers the spans.
void ModelAssembly::sortFiles(std::vector<TensorInfo>& tensors,
                              std::vector<ModelFile>& files) const {
  std::vector<std::uint32_t> order(files_.files().size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return at(a).path < at(b).path; });
  std::vector<std::uint32_t> newNumbers(order.size());
  for (std::uint32_t number = 0; number < order.size(); ++number) {
    newNumbers[order[number]] = number;
    files.push_back(at(order[number]));
  }
  for (TensorInfo& tensor : tensors) tensor.file = newNumbers[tensor.file];
}

std::unique_ptr<ModelSource> ModelAssembly::finish() {
  mergeMetadata();
  sortFiles(found_, description_.files);
  description_.tensors = tileSpans(std::move(found_), description_.files);
  return std::make_unique<OpenedModel>(std::move(files_), std::move(description_));
}

Result<ModelAssembly> readModel(const fs::path& path, fs::file_type type, Links links,
                                const std::vector<std::string>& exclude, Foreign foreign) {
  const bool isFolder = type == fs::file_type::directory;
  STRATA_TRY(ModelFiles files, isFolder ? ModelFiles::ofFolder(path, links, exclude)
                                        : ModelFiles::ofFile(path, links));
  ModelAssembly assembly(std::move(files));
  auto read = isFolder ? assembly.readFolder() : assembly.readSingle();
  if (!read && foreign == Foreign::Kept && read.error().code == ErrorCode::Unsupported) {
    assembly.keepForeign();
  } else if (!read) {
    STRATA_TRY(assembly.checkUnchanged());  // why it is odd, if it is still being written
    return fail(std::move(read).error());
  }
  return assembly;
}

}  // namespace

Result<std::unique_ptr<ModelSource>> openModel(const fs::path& path, Links links,
                                               const std::vector<std::string>& exclude,
                                               Foreign foreign) {
  std::error_code problem;
  const fs::file_type type = fs::status(path, problem).type();
  if (type == fs::file_type::not_found) {
    return fail(ErrorCode::NotFound, path.string() + ": no such file or folder");
  }
  if (type == fs::file_type::none) {
    return fail(ErrorCode::Io, path.string() + ": " + problem.message());
  }
  if (type != fs::file_type::directory && type != fs::file_type::regular) {
    return fail(ErrorCode::Unsupported, path.string() + ": is neither a regular file nor a folder");
  }
  auto assembly = readModel(path, type, links, exclude, foreign);
  if (!assembly) {
    const bool isFolder = type == fs::file_type::directory;
    return fail(isFolder ? assembly.error().within(path.string()) : std::move(assembly).error());
  }
  return assembly->finish();
}

}  // namespace strata
