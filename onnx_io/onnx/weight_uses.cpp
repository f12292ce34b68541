#include "onnx_io/onnx/weight_uses.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnx_io/utf8.h"

namespace strata {
namespace {

/// Names past this many stay unexplained: a hostile graph must not fill the memory with them.
constexpr std::size_t kMaxNames = 1'000'000;

}  // namespace

void WeightUses::enterGraph() {
  if (scopes_.empty()) lastLinear_.reset();
  scopes_.emplace_back();
}

void WeightUses::define(std::string_view value, WeightRange weight) {
  if (value.empty() || weight.count == 0 || nameCount_ == kMaxNames) return;
  nameCount_ += scopes_.back().emplace(value, weight).second ? 1 : 0;
}

std::optional<WeightRange> WeightUses::find(std::string_view value) const {
  if (value.empty()) return std::nullopt;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(value); found != scope->end()) return found->second;
  }
  return std::nullopt;
}

void WeightUses::visitNode(const NodeView& node) {
  const bool isMainGraph = scopes_.size() == 1;
  if (isMainGraph && !isOutputTail(node.opType)) lastLinear_.reset();
  for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const auto weight = find(node.inputs[slot]);
    if (!weight) continue;
    if (slot == 0 && isPassThrough(node.opType)) {
      define(node.firstOutput, *weight);
      continue;
    }
    use({node.opType, node.name, slot}, *weight);
    const bool isLinear = tensors_[weight->first].kind == TensorKind::Linear;
    if (isMainGraph && isLinear && !isOutputTail(node.opType)) lastLinear_ = *weight;
  }
}

void WeightUses::use(const TensorUse& use, WeightRange weight) {
  if (!tensors_[weight.first].place.empty()) return;  // the first use settled all of its spans
  std::string consumer = toUtf8(use.nodeName.empty() ? use.opType : use.nodeName, kMaxNameBytes);
  for (std::size_t index = weight.first; index < weight.first + weight.count; ++index) {
    TensorInfo& tensor = tensors_[index];
    placeBytes_ += consumer.size();
    if (placeBytes_ > kMaxNamesBytes) consumer.clear();
    tensor.place = std::string_view(fmt::format("{}:{}", consumer, use.slot));
    tensor.kind = kindFromUse(use, tensor.name, weight.rank);
  }
}

void WeightUses::settleHead() {
  if (!lastLinear_) return;
  for (std::size_t index = 0; index < lastLinear_->count; ++index) {
    tensors_[lastLinear_->first + index].kind = TensorKind::Head;
  }
}

void WeightUses::settleByName() {
  for (TensorInfo& tensor : tensors_) {
    const bool isNumber = tensor.type != ElementType::Bytes;
    if (tensor.kind == TensorKind::Unknown && isNumber && wordFormat(tensor.type).isFloat) {
      tensor.kind = kindFromName(tensor.name, tensor.shape.size());
    }
  }
}

}  // namespace strata
