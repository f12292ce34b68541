#include "onnx_io/plain_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/checked_math.h"
#include "onnx_io/safetensors/safetensors_reader.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/torch/dcp_names.h"
#include "onnx_io/torch/torch_archive.h"
#include "onnx_io/utf8.h"
#include "onnx_io/zip/npy_header.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

constexpr std::string_view kArraySuffix = ".npy";

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::Unsupported, std::move(message));
}

/// Bytes from the first element to the end of the last; nothing where that does not fit.
std::optional<std::uint64_t> extentOf(const PlainArray& array) noexcept {
  std::optional<std::uint64_t> last = 0;
  std::optional<std::uint64_t> count = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    count = count ? checkedMultiply(*count, array.shape[i]) : std::nullopt;
    if (array.strides.empty() || array.shape[i] == 0 || !last) continue;
    const auto step = checkedMultiply(array.shape[i] - 1, array.strides[i]);
    last = step ? checkedAdd(*last, *step) : std::nullopt;
  }
  if (!count || !last) return std::nullopt;
  const auto end = checkedAdd(*last, std::uint64_t{1});
  if (!end) return std::nullopt;
  const std::uint64_t elements = array.strides.empty() || *count == 0 ? *count : *end;
  // Each element is written once, also where several lie at one place.
  return bytesOfElements(array.type, std::max(elements, *count));
}

/// Whether the elements lie row by row.
bool isRowMajor(const PlainArray& array) noexcept {
  std::uint64_t expected = 1;
  for (std::size_t i = array.shape.size(); i-- > 0;) {
    if (array.shape[i] != 1 && array.strides[i] != expected) return false;
    expected *= array.shape[i];  // of a shape whose elements fit
  }
  return true;
}

class Arrays {
 public:
  explicit Arrays(std::vector<LeftOutTensor>& leftOut) : leftOut_(leftOut) {}

  /// Cuts `bytes` to what the array takes.
  void add(PlainArray array) {
    const auto extent = extentOf(array);
    const bool isPacked = !array.strides.empty() && bitsPerElement(array.type) % 8 != 0;
    if (!extent || *extent > array.bytes.size() || isPacked) {
      leftOut_.push_back({array.name, "its elements share places, or are not all there"});
      return;
    }
    array.bytes = array.bytes.first(static_cast<std::size_t>(*extent));
    if (!array.strides.empty() && isRowMajor(array)) array.strides.clear();
    out_.push_back(std::move(array));
  }

  Result<void> addTorch(const ModelFile& file) {
    STRATA_TRY(const ZipList list, listZip(file.bytes.whole()));
    return addArchive(file.bytes.whole(), list, "");
  }

  /// Of torch.distributed: archives one behind the other.
  Result<void> addParts(const ModelDescription& model, const ModelFile& file) {
    const std::size_t name = file.path.rfind('/') + 1;  // npos + 1 is 0
    const std::string metadata = file.path.substr(0, name) + ".metadata";
    const auto found = std::find_if(model.files.begin(), model.files.end(),
                                    [&](const ModelFile& one) { return one.path == metadata; });
    const DcpNames names =
        found == model.files.end() ? DcpNames() : DcpNames::read(found->bytes.whole());
    const std::string own = file.path.substr(name);
    for (const ZipList& list : listZips(file.bytes.whole())) {
      std::string part(names.nameAt(own, list.range.offset));
      if (part.empty()) part = fmt::format("{}@{}", own, list.range.offset);
      STRATA_TRY(addArchive(file.bytes.whole(), list, part));
    }
    return {};
  }

  /// A tensor that lies as it is shown.
  void addListed(const ModelFile& file, const TensorInfo& tensor) {
    if (tensor.type == ElementType::Bytes) {
      leftOut_.push_back({tensor.name, "is bytes without a type"});
      return;
    }
    add({.name = tensor.name,
         .type = tensor.type,
         .shape = tensor.shape,
         .strides = {},
         .bytes = file.bytes.of(tensor.offset, tensor.byteCount),
         .isOfOptimizer = isOptimizerState(tensor.kind)});
  }

  /// Tensors without elements, which no model lists.
  Result<void> addEmpty(const ModelFile& file) {
    STRATA_TRY(std::vector<TensorInfo> empty, safetensorsWithoutElements(file.bytes));
    for (TensorInfo& tensor : empty) {
      add({.name = std::move(tensor.name),
           .type = tensor.type,
           .shape = std::move(tensor.shape),
           .strides = {},
           .bytes = {},
           .isOfOptimizer = isOptimizerState(tensor.kind)});
    }
    return {};
  }

  Result<void> addNpz(const ModelFile& file) {
    const auto bytes = file.bytes.whole();
    STRATA_TRY(const ZipList list, listZip(bytes));
    for (const ZipEntry& entry : list.entries) {
      if (!entry.name.ends_with(kArraySuffix)) continue;
      const std::string_view whole = entry.name;
      std::string name = toUtf8(whole.substr(0, whole.size() - kArraySuffix.size()), kMaxNameBytes);
      if (!entry.isPlain) return refuse(name + ": is compressed");
      const auto member = bytes.subspan(entry.data.offset, entry.data.byteCount);
      const auto header = readNpyHeader(member);
      if (!header || header->type == ElementType::Bytes) {
        leftOut_.push_back({name, "is no array of numbers that is known"});
        continue;
      }
      PlainArray array{.name = std::move(name),
                       .type = header->type,
                       .shape = header->shape,
                       .strides = {},
                       .bytes = member.subspan(header->byteCount)};
      if (header->isTurned) turn(array);
      add(std::move(array));
    }
    return {};
  }

  std::vector<PlainArray> take() { return std::move(out_); }

 private:
  /// Of Fortran's order: the shape that the header has, and how it lies.
  static void turn(PlainArray& array) {
    std::uint64_t stride = 1;
    for (std::size_t i = array.shape.size(); i-- > 0;) {
      array.strides.push_back(stride);
      const auto next = checkedMultiply(stride, array.shape[i]);
      stride = next.value_or(0);
    }
    std::reverse(array.shape.begin(), array.shape.end());
  }

  /// `name` is put in front of the names, as addTorchTensors() does.
  Result<void> addArchive(std::span<const std::byte> file, const ZipList& list,
                          const std::string& name) {
    auto opened = TorchArchive::open(file, list);
    if (!opened) return refuse(opened.error().message);
    if (opened->isSwapped()) return refuse("it was written on a big-endian machine");
    for (TorchTensor& tensor : torchContents(opened->tree()).tensors) {
      const bool isAlone = tensor.name.empty();
      if (!name.empty())
        tensor.name = isAlone ? name : toUtf8(name + '.' + tensor.name, kMaxNameBytes);
      if (isAlone && name.empty()) tensor.name = "tensor";
      addTorchTensor(*opened, file, tensor);
    }
    return {};
  }

  void addTorchTensor(const TorchArchive& archive, std::span<const std::byte> file,
                      TorchTensor& tensor) {
    const ByteRange* const place = archive.storage(tensor.storage);
    const auto first = bytesOfElements(tensor.type, tensor.offset);
    const bool isKnown = tensor.type != ElementType::Bytes && !tensor.isWholeStorage;
    if (place == nullptr || !isKnown || !first || *first > place->byteCount) {
      leftOut_.push_back({tensor.name, "is of a type that is not known, or its words are gone"});
      return;
    }
    add({.name = std::move(tensor.name),
         .type = tensor.type,
         .shape = std::move(tensor.shape),
         .strides = std::move(tensor.strides),
         .bytes = file.subspan(place->offset + *first, place->byteCount - *first),
         .isOfOptimizer = tensor.isOfOptimizer});
  }

  std::vector<LeftOutTensor>& leftOut_;
  std::vector<PlainArray> out_;
};

}  // namespace

Result<std::vector<PlainArray>> plainArraysOf(const ModelDescription& model, std::size_t file,
                                              std::vector<LeftOutTensor>& leftOut) {
  const ModelFile& source = model.files[file];
  Arrays arrays(leftOut);
  Result<void> added;
  if (source.path.ends_with(".distcp")) {
    added = arrays.addParts(model, source);
  } else if (source.kind == FileKind::PyTorch) {
    added = arrays.addTorch(source);
  } else if (source.kind == FileKind::Npz) {
    added = arrays.addNpz(source);
  } else if (source.kind != FileKind::Other) {
    for (const TensorInfo& tensor : model.tensors) {
      if (tensor.file == file) arrays.addListed(source, tensor);
    }
    if (source.kind == FileKind::Safetensors) added = arrays.addEmpty(source);
  }
  if (!added) return fail(added.error().within(source.path));
  return arrays.take();
}

}  // namespace strata
