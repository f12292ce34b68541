#include "onnx_io/torch/torch_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "onnx_io/file_contents.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxOptimizers = 10'000;

using NamedType = std::pair<std::string_view, ElementType>;

constexpr std::array<NamedType, 16> kStorageTypes{{
    {"FloatStorage", ElementType::F32},
    {"HalfStorage", ElementType::F16},
    {"BFloat16Storage", ElementType::BF16},
    {"DoubleStorage", ElementType::F64},
    {"LongStorage", ElementType::I64},
    {"IntStorage", ElementType::I32},
    {"ShortStorage", ElementType::I16},
    {"CharStorage", ElementType::I8},
    {"ByteStorage", ElementType::U8},
    {"BoolStorage", ElementType::Bool},
    {"ComplexFloatStorage", ElementType::C64},
    {"ComplexDoubleStorage", ElementType::C128},
    {"QInt8Storage", ElementType::I8},
    {"QUInt8Storage", ElementType::U8},
    {"QInt32Storage", ElementType::I32},
    {"UntypedStorage", ElementType::Bytes},
}};

constexpr std::array<NamedType, 26> kTypes{{
    {"float32", ElementType::F32},
    {"float", ElementType::F32},
    {"float16", ElementType::F16},
    {"half", ElementType::F16},
    {"bfloat16", ElementType::BF16},
    {"float64", ElementType::F64},
    {"double", ElementType::F64},
    {"int64", ElementType::I64},
    {"int32", ElementType::I32},
    {"int16", ElementType::I16},
    {"int8", ElementType::I8},
    {"uint8", ElementType::U8},
    {"uint16", ElementType::U16},
    {"uint32", ElementType::U32},
    {"uint64", ElementType::U64},
    {"bool", ElementType::Bool},
    {"complex64", ElementType::C64},
    {"complex128", ElementType::C128},
    {"float8_e4m3fn", ElementType::F8E4M3FN},
    {"float8_e4m3fnuz", ElementType::F8E4M3FNUZ},
    {"float8_e5m2", ElementType::F8E5M2},
    {"float8_e5m2fnuz", ElementType::F8E5M2FNUZ},
    {"float8_e8m0fnu", ElementType::F8E8M0},
    {"qint8", ElementType::I8},
    {"quint8", ElementType::U8},
    {"qint32", ElementType::I32},
}};

template <std::size_t Count>
ElementType typeOf(const std::array<NamedType, Count>& table, std::string_view name) noexcept {
  const auto* const found = std::find_if(table.begin(), table.end(),
                                         [&](const NamedType& row) { return row.first == name; });
  return found == table.end() ? ElementType::Bytes : found->second;
}

/// The persistent id ('storage', class, key, device, elements).
bool readStorage(const PickleTree& tree, PickleId id, TorchTensor& out) {
  if (!tree.is(id, PickleKind::Stored)) return false;
  const PickleId said = tree[id].args;
  if (tree.text(tree.element(said, 0)) != "storage") return false;
  const PickleId key = tree.element(said, 2);
  const auto elements = tree.count(tree.element(said, 4));
  if (!tree.is(key, PickleKind::Text) || !elements) return false;
  out.storage = tree.text(key);
  out.type = typeOf(kStorageTypes, tree.nameOf(tree.element(said, 1)));
  out.storageElements = out.type == ElementType::Bytes ? 0 : *elements;
  return true;
}

bool readNumbers(const PickleTree& tree, PickleId id, std::vector<std::uint64_t>& out) {
  // torch.Size(…) in some places
  if (tree.is(id, PickleKind::Object)) id = tree.element(tree[id].args, 0);
  if (!tree.is(id, PickleKind::Tuple) && !tree.is(id, PickleKind::List)) return false;
  if (tree[id].items.size() > kMaxRank) return false;
  for (const PickleId item : tree[id].items) {
    const auto number = tree.count(item);
    if (!number) return false;
    out.push_back(*number);
  }
  return true;
}

/// The arguments of _rebuild_tensor and its later forms.
std::optional<TorchTensor> rebuilt(const PickleTree& tree, std::string_view name, PickleId args) {
  TorchTensor out;
  const auto offset = tree.count(tree.element(args, 1));
  const bool isOne = readStorage(tree, tree.element(args, 0), out) && offset &&
                     readNumbers(tree, tree.element(args, 2), out.shape) &&
                     readNumbers(tree, tree.element(args, 3), out.strides) &&
                     out.shape.size() == out.strides.size();
  if (!isOne) return std::nullopt;
  out.offset = *offset;
  if (name == "_rebuild_tensor_v3") {
    out.type = typeOf(kTypes, tree.nameOf(tree.element(args, 6)));
    out.storageElements = 0;
  }
  return out;
}

class TensorWalk {
 public:
  explicit TensorWalk(const PickleTree& tree) : tree_(tree), isSeen_(tree.size()) {}

  void walk(PickleId id, const std::string& name, int depth, bool isOfOptimizer);

  TorchContents take() { return std::move(found_); }

 private:
  /// What keeps pairs: the attributes of an object, which may be a torch.nn.Module, or the two maps
  /// of an optimizer have a meaning of their own.
  enum class Holder { Plain, Attributes, Optimizer };
  struct Way {
    const std::string& name;
    int depth = 0;
    bool isOfOptimizer = false;
  };

  bool isWalked(PickleId id, int depth) const noexcept;
  void walkRow(const PickleValue& row, const Way& way);
  void walkPairs(const PickleValue& map, const Way& way, Holder holder);
  void add(TorchTensor tensor, const Way& way);
  static std::string below(const std::string& name, std::string_view part);

  const PickleTree& tree_;
  std::vector<bool> isSeen_;
  TorchContents found_;
  std::size_t namesBytes_ = 0;
};

std::string TensorWalk::below(const std::string& name, std::string_view part) {
  std::string own = toUtf8(part, kMaxNameBytes);
  if (name.empty()) return own;
  return toUtf8(name + '.' + own, kMaxNameBytes);
}

void TensorWalk::add(TorchTensor tensor, const Way& way) {
  if (found_.tensors.size() == kMaxTensors) return;
  namesBytes_ += way.name.size();
  tensor.name =
      namesBytes_ <= kMaxNamesBytes ? way.name : fmt::format("#{}", found_.tensors.size());
  tensor.isOfOptimizer = way.isOfOptimizer;
  found_.tensors.push_back(std::move(tensor));
}

/// Whether a value may hold a tensor, and was not looked at before: only then a name is made.
bool TensorWalk::isWalked(PickleId id, int depth) const noexcept {
  if (id >= tree_.size() || depth > kMaxDepth || isSeen_[id]) return false;
  const PickleValue& value = tree_[id];
  switch (value.kind) {
    case PickleKind::Tuple:
    case PickleKind::List:
    case PickleKind::Set:
    case PickleKind::Map:
      return !value.items.empty();
    case PickleKind::Stored:
    case PickleKind::Object:
      return true;
    default:
      return false;
  }
}

void TensorWalk::walkRow(const PickleValue& row, const Way& way) {
  for (std::size_t i = 0; i < row.items.size(); ++i) {
    if (!isWalked(row.items[i], way.depth + 1)) continue;
    walk(row.items[i], below(way.name, std::to_string(i)), way.depth + 1, way.isOfOptimizer);
  }
}

/// Keys that are neither texts nor numbers go by their position. What torch.nn.Module keeps its
/// parts in is no part of their names.
void TensorWalk::walkPairs(const PickleValue& map, const Way& way, Holder holder) {
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    if (!isWalked(map.items[i + 1], way.depth + 1)) continue;
    const PickleId key = map.items[i];
    const std::string_view text = tree_.text(key);
    const bool isInner = text == "_modules" || text == "_parameters" || text == "_buffers";
    const bool isState = holder == Holder::Optimizer && text == "state";
    std::string name = way.name;
    if (!isInner || holder != Holder::Attributes) {
      name = below(way.name,
                   tree_.is(key, PickleKind::Text) ? std::string(text.substr(0, kMaxNameBytes + 1))
                   : tree_.is(key, PickleKind::Integer) ? std::to_string(tree_[key].integer)
                                                        : std::to_string(i / 2));
    }
    walk(map.items[i + 1], name, way.depth + 1, way.isOfOptimizer || isState);
  }
}

void TensorWalk::walk(PickleId id, const std::string& name, int depth, bool isOfOptimizer) {
  if (!isWalked(id, depth)) return;
  isSeen_[id] = true;
  const PickleValue& value = tree_[id];
  const Way way{name, depth, isOfOptimizer};
  const bool isRow = value.kind == PickleKind::Tuple || value.kind == PickleKind::List ||
                     value.kind == PickleKind::Set;
  if (isRow) return walkRow(value, way);
  if (auto tensor = torchTensorAt(tree_, id)) return add(std::move(*tensor), way);
  const bool isOptimizer = value.hasPairs && tree_.member(id, "state") != kNoPickleId &&
                           tree_.member(id, "param_groups") != kNoPickleId;
  if (isOptimizer && found_.optimizers.size() < kMaxOptimizers) {
    found_.optimizers.push_back({name, id});
  }
  if (value.hasPairs) {
    walkPairs(value, way, isOptimizer ? Holder::Optimizer : Holder::Plain);
  } else {
    walkRow(value, way);
  }
  if (value.kind != PickleKind::Object) return;
  walk(value.args, name, depth + 1, isOfOptimizer);
  if (!tree_.is(value.state, PickleKind::Map) || isSeen_[value.state]) {
    return walk(value.state, name, depth + 1, isOfOptimizer);
  }
  isSeen_[value.state] = true;
  walkPairs(tree_[value.state], way, Holder::Attributes);
}

}  // namespace

std::optional<TorchTensor> torchTensorAt(const PickleTree& tree, PickleId id) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    TorchTensor whole;
    if (readStorage(tree, id, whole)) {
      whole.isWholeStorage = true;
      return whole;
    }
    if (!tree.is(id, PickleKind::Object)) return std::nullopt;
    PickleId callee = tree[id].callee;
    PickleId args = tree[id].args;
    const std::string_view name = tree.nameOf(callee);
    if (name == "_rebuild_from_type_v2") {  // a subclass of Tensor: (function, class, args, state)
      callee = tree.element(args, 0);
      args = tree.element(args, 2);
    }
    const std::string_view module = tree.moduleOf(callee);
    const std::string_view inner = tree.nameOf(callee);
    if (module != "torch._utils" && module != "torch._tensor") return std::nullopt;
    if (inner == "_rebuild_parameter" || inner == "_rebuild_parameter_with_state") {
      id = tree.element(args, 0);
      continue;
    }
    const bool isOne = inner == "_rebuild_tensor" || inner == "_rebuild_tensor_v2" ||
                       inner == "_rebuild_tensor_v3" || inner == "_rebuild_qtensor";
    return isOne ? rebuilt(tree, inner, args) : std::nullopt;
  }
  return std::nullopt;
}

TorchContents torchContents(const PickleTree& tree) {
  TensorWalk walk(tree);
  walk.walk(tree.root(), "", 0, false);
  return walk.take();
}

}  // namespace strata
