#include "onnx_io/torch/torch_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/checked_math.h"
#include "core/text/wording.h"
#include "onnx_io/tensor_role.h"
#include "onnx_io/tensor_span.h"

namespace strata {
namespace {

/// A view whose elements fill a stretch of its storage, in the order in which they lie there.
struct DenseView {
  ByteRange bytes;  ///< from the start of the storage
  std::vector<std::uint64_t> shape;
  const TorchTensor* tensor = nullptr;
};

/// Elements of a shape; nothing where that does not fit 64 bits.
std::optional<std::uint64_t> elementsOf(const std::vector<std::uint64_t>& shape) noexcept {
  std::optional<std::uint64_t> count = 1;
  for (const std::uint64_t dimension : shape) {
    if (count) count = checkedMultiply(*count, dimension);
  }
  return count;
}

std::uint64_t elementBytes(ElementType type) noexcept {
  return std::max<std::uint64_t>(bitsPerElement(type) / 8, 1);
}

/// Whether the last of these dimensions is the fastest and none leaves a gap.
bool isRowMajor(const TorchTensor& tensor, std::span<const std::size_t> order) noexcept {
  std::uint64_t expected = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint64_t dimension = tensor.shape[order[i]];
    if (dimension == 1) continue;
    if (tensor.strides[order[i]] != expected) return false;
    expected *= dimension;  // of a shape whose product fits
  }
  return true;
}

/// The shape in which a tensor's elements lie; nothing if they leave gaps or share places.
std::optional<std::vector<std::uint64_t>> shapeInMemory(const TorchTensor& tensor) {
  std::vector<std::size_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (isRowMajor(tensor, order)) return tensor.shape;
  std::erase_if(order, [&](std::size_t dimension) { return tensor.shape[dimension] == 1; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides[a] > tensor.strides[b];
  });
  if (!isRowMajor(tensor, order)) return std::nullopt;
  std::vector<std::uint64_t> shape;
  for (const std::size_t dimension : order) shape.push_back(tensor.shape[dimension]);
  return shape;
}

/// Bytes up to the last element of a view; nothing where it has none or that does not fit.
std::optional<std::uint64_t> endOf(const TorchTensor& view) noexcept {
  std::optional<std::uint64_t> last = view.offset;
  for (std::size_t i = 0; i < view.shape.size() && last; ++i) {
    if (view.shape[i] == 0) return 0;
    const auto step = checkedMultiply(view.shape[i] - 1, view.strides[i]);
    last = step ? checkedAdd(*last, *step) : std::nullopt;
  }
  const auto end = last ? checkedAdd(*last, std::uint64_t{1}) : std::nullopt;
  return end ? checkedMultiply(*end, elementBytes(view.type)) : std::nullopt;
}

/// The line that says why a storage is bytes; empty where all views fit it.
std::string misfitOf(std::span<const TorchTensor> views, std::uint64_t byteCount) {
  for (const TorchTensor& view : views) {
    if (view.type == ElementType::Bytes) continue;
    const auto said = view.storageElements == 0
                          ? byteCount
                          : checkedMultiply(view.storageElements, elementBytes(view.type));
    const auto end = view.isWholeStorage ? std::optional(std::uint64_t{0}) : endOf(view);
    if (said == byteCount && end && *end <= byteCount) continue;
    return fmt::format("{}: {} bytes, where {} {} asks for more or less", view.name, byteCount,
                       name(view.type), wordShape(view.shape));
  }
  return {};
}

std::optional<DenseView> denseView(const TorchTensor& tensor) {
  const auto elements = elementsOf(tensor.shape);
  const bool isTyped = tensor.type != ElementType::Bytes && !tensor.isWholeStorage;
  if (!isTyped || !elements || *elements == 0) return std::nullopt;
  auto shape = shapeInMemory(tensor);
  if (!shape) return std::nullopt;
  const std::uint64_t width = elementBytes(tensor.type);
  return DenseView{{tensor.offset * width, *elements * width}, std::move(*shape), &tensor};
}

/// Those that are listed: ascending, without overlap.
std::vector<DenseView> chosenViews(std::span<const TorchTensor> views) {
  std::vector<DenseView> all;
  for (const TorchTensor& tensor : views) {
    if (auto view = denseView(tensor)) all.push_back(std::move(*view));
  }
  std::stable_sort(all.begin(), all.end(), [](const DenseView& a, const DenseView& b) {
    return a.bytes.byteCount > b.bytes.byteCount;
  });
  std::stable_sort(all.begin(), all.end(), [](const DenseView& a, const DenseView& b) {
    return a.bytes.offset < b.bytes.offset;
  });
  std::vector<DenseView> out;
  std::uint64_t end = 0;
  for (DenseView& view : all) {
    if (view.bytes.offset < end) continue;
    end = view.bytes.end();
    out.push_back(std::move(view));
  }
  return out;
}

/// Gathers the spans of one storage.
class SpanList {
 public:
  SpanList(const TorchTensor& first, const StoragePlace& place) : first_(first), place_(place) {}

  void add(const TorchTensor& tensor, std::vector<std::uint64_t> shape, ByteRange bytes) {
    TensorInfo info =
        opaqueSpan(tensor.name, place_.file, {place_.bytes.offset + bytes.offset, bytes.byteCount});
    info.type = tensor.type;
    info.shape = std::move(shape);
    finish(std::move(info), tensor);
  }

  /// A row of elements that no view stands for.
  void addRest(ByteRange bytes, ElementType type) {
    if (bytes.byteCount == 0) return;
    TensorInfo info =
        opaqueSpan(restName(), place_.file, {place_.bytes.offset + bytes.offset, bytes.byteCount});
    const std::uint64_t width = elementBytes(type);
    const bool fits = bytes.offset % width == 0 && bytes.byteCount % width == 0;
    if (type != ElementType::Bytes && fits) {
      info.type = type;
      info.shape = {bytes.byteCount / width};
    }
    finish(std::move(info), first_);
  }

  void setNameTaken() { isNameTaken_ = true; }
  std::vector<TensorInfo> take() { return std::move(spans_); }

 private:
  std::string restName() {
    const std::size_t number = ++restCount_ + (isNameTaken_ ? 1 : 0);
    return number == 1 ? first_.name : fmt::format("{}#{}", first_.name, number);
  }

  void finish(TensorInfo info, const TorchTensor& tensor) {
    info.kind = tensor.isOfOptimizer ? kindOfOptimizerState(tensor.name)
                                     : kindOfStored(tensor.name, info.type, info.shape.size());
    spans_.push_back(std::move(info));
  }

  const TorchTensor& first_;
  const StoragePlace& place_;
  std::size_t restCount_ = 0;
  bool isNameTaken_ = false;
  std::vector<TensorInfo> spans_;
};

}  // namespace

std::vector<TensorInfo> storageSpans(std::span<const TorchTensor> views, const StoragePlace& place,
                                     std::vector<std::string>& odd) {
  const TorchTensor& first = views.front();
  SpanList spans(first, place);
  std::string misfit = misfitOf(views, place.bytes.byteCount);
  const bool isOdd = !misfit.empty();
  if (isOdd) odd.push_back(std::move(misfit));
  if (isOdd || place.isSwapped) {
    spans.addRest({0, place.bytes.byteCount}, ElementType::Bytes);
    return spans.take();
  }
  const std::vector<DenseView> chosen = chosenViews(views);
  for (const DenseView& view : chosen) {
    if (view.tensor == &first) spans.setNameTaken();
  }
  std::uint64_t end = 0;
  for (const DenseView& view : chosen) {
    spans.addRest({end, view.bytes.offset - end}, first.type);
    spans.add(*view.tensor, view.shape, view.bytes);
    end = view.bytes.end();
  }
  spans.addRest({end, place.bytes.byteCount - end}, first.type);
  return spans.take();
}

std::uint64_t leastStorageBytes(const TorchTensor& tensor) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (tensor.type == ElementType::Bytes) return 0;
  const auto said = checkedMultiply(tensor.storageElements, elementBytes(tensor.type));
  const auto end = tensor.isWholeStorage ? std::optional(std::uint64_t{0}) : endOf(tensor);
  return std::max(said.value_or(kMost), end.value_or(kMost));
}

}  // namespace strata
