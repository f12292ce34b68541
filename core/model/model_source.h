#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/file_bytes.h"
#include "core/model/optimizer_info.h"
#include "core/model/rare_text.h"
#include "core/model/shape.h"
#include "core/result.h"

namespace strata {

/// What a file of a model is, as far as reading it goes. Stored in manifests.
enum class FileKind : std::uint8_t {
  Other = 0,
  Onnx = 1,
  ExternalData = 2,
  Safetensors = 3,
  PyTorch = 4,  ///< a zip archive of torch.save, or several one behind the other (.distcp)
  Npz = 5,      ///< a zip archive of NumPy arrays
};

/// The part a tensor plays, found from the graph or else from its name. Stored in manifests.
enum class TensorKind : std::uint8_t {
  Unknown = 0,
  Embedding = 1,
  Attention = 2,
  Linear = 3,
  Convolution = 4,
  Norm = 5,
  Bias = 6,
  Head = 7,
  FirstMoment = 8,      ///< what an optimizer keeps of a weight's gradients: their mean
  SecondMoment = 9,     ///< the mean of their squares
  OptimizerState = 10,  ///< anything else of an optimizer: steps, its own copies of weights
};

/// "embedding", "attention", …; "other" for Unknown.
std::string_view name(TensorKind kind) noexcept;
/// Whether it is part of what an optimizer keeps beside the weights.
constexpr bool isOptimizerState(TensorKind kind) noexcept {
  return kind >= TensorKind::FirstMoment && kind <= TensorKind::OptimizerState;
}
std::optional<TensorKind> tensorKindFromName(std::string_view name) noexcept;

/// One file of a model.
struct ModelFile {
  std::string path;  ///< relative to the model, '/' between parts, never "..", UTF-8
  FileKind kind = FileKind::Other;
  FileBytes bytes;         ///< the whole file, mapped or in memory; owned by the ModelSource
  std::uint32_t mode = 0;  ///< as keptMode() gives it
};

/// One weight: where its bytes lie in a file and what they mean. A model may have a million, hence
/// the order of the fields, Shape and RareText.
struct TensorInfo {
  std::string name;  ///< as the file spells it; fragments of one weight end in "#2", "#3" …
  Shape shape;       ///< empty for a scalar; {byteCount} for opaque bytes
  std::uint64_t offset = 0;     ///< of the first byte, from the start of its file
  std::uint64_t byteCount = 0;  ///< > 0; matches type and shape
  std::uint32_t file = 0;       ///< index into ModelDescription::files
  ElementType type = ElementType::Bytes;
  TensorKind kind = TensorKind::Unknown;
  /// Where the graph uses it: the first consumer's node name (or op type) and input slot, such as
  /// "/encoder/layer.0/attention/self/query/MatMul:1". Empty where there is no graph.
  RareText place;
};

/// A model as its files and the weights in them.
///
/// `files` is sorted by path. `tensors` is sorted by (file, offset); their byte ranges are
/// disjoint and inside their files. All bytes outside of them are the skeleton.
struct ModelDescription {
  std::string format;  ///< "onnx", "safetensors", "pytorch", "npz" or "folder"
  std::vector<ModelFile> files;
  std::vector<TensorInfo> tensors;
  /// What the model says of itself, in file order: opset, producer, metadata_props, __metadata__.
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Tensors whose bytes are not as many as type and shape ask for, and which are opaque bytes
  /// therefore: "embed.weight: 60 bytes, where f32 4x4 has 64".
  std::vector<std::string> oddTensors = {};
  /// What the files say of optimizers, in the order of the files.
  std::vector<OptimizerInfo> optimizers = {};
};

/// Four bytes of a file that are the CRC-32 of other bytes of it, lowest byte first.
struct ChecksumField {
  std::uint32_t file = 0;
  std::uint64_t at = 0;         ///< of the first of the four
  std::uint64_t offset = 0;     ///< of the first byte that they are the checksum of
  std::uint64_t byteCount = 0;  ///< of those
};

/// A model on its way into the store. onnx_io implements it for files, whose mappings it owns, and
/// for arrays in the memory of a program, which stay the program's.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  /// Valid as long as the source lives.
  virtual const ModelDescription& description() const noexcept = 0;
  /// Whether the files are what they were when they were opened. Whoever has read them and is about
  /// to report asks this last. Fails with Io, naming the file, if one changed or could not be read.
  /// Without it: a model that lies in memory.
  virtual Result<void> checkUnchanged() const { return {}; }
  /// The checksums that the files have of their own weights, and that change where a weight does:
  /// who quantizes the model asks for them. None of a field's bytes is a tensor's.
  virtual std::vector<ChecksumField> checksumFields() const { return {}; }
};

/// Opens the model that a file or folder holds. Core knows no formats: programs give it one of
/// onnx_io.
using ModelOpener =
    std::function<Result<std::unique_ptr<ModelSource>>(const std::filesystem::path&)>;

/// The bytes of a tensor of `model`, as they lie in its file.
std::span<const std::byte> bytesOf(const ModelDescription& model,
                                   const TensorInfo& tensor) noexcept;

/// Product of the dimensions; 1 for a scalar. The shape was checked by the reader.
std::uint64_t elementCount(const TensorInfo& tensor) noexcept;

}  // namespace strata
