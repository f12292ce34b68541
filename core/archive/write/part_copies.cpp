#include "core/archive/write/part_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace strata {

bool isCopy(const PartPlan& part) noexcept { return part.isIdentical && part.view->own; }

std::uint32_t originalOf(const ModelDescription& model, const PartPlan& copy) noexcept {
  const auto position = std::pair(copy.view->file, copy.view->offset);
  const auto found = std::partition_point(
      model.tensors.begin(), model.tensors.end(),
      [&](const TensorInfo& tensor) { return std::pair(tensor.file, tensor.offset) < position; });
  return static_cast<std::uint32_t>(found - model.tensors.begin());
}

Result<std::vector<std::byte>> wordsOfCopy(
    const ModelDescription& model, const ModelPlan& plan, const PartPlan& copy,
    const std::function<Result<std::vector<std::byte>>(const PartPlan&)>& wordsOf) {
  const std::uint32_t original = originalOf(model, copy);
  const TensorInfo& tensor = model.tensors[original];
  const std::uint64_t columns = wordMatrix(tensor.type, tensor.shape, tensor.byteCount).columns;
  std::vector<std::byte> words(tensor.byteCount);
  auto found = std::ranges::lower_bound(plan.parts, original, {}, &PartPlan::tensor);
  for (; found != plan.parts.end() && found->tensor == original; ++found) {
    const PartPlan& part = *found;
    STRATA_TRY(const auto restored, wordsOf(part));
    const std::size_t word = part.shape().word.bytes;
    const PartLayout& at = part.layout;
    for (std::uint64_t r = 0; r < at.rowCount; ++r) {
      std::memcpy(words.data() + ((at.firstRow + r) * columns + at.firstColumn) * word,
                  restored.data() + r * at.columnCount * word, at.columnCount * word);
    }
  }
  return words;
}

KeptOriginals::KeptOriginals(const ModelDescription& model, const ModelPlan& plan,
                             std::uint64_t roomBytes)
    : room_(roomBytes) {
  for (const PartPlan& part : plan.parts) {
    if (isCopy(part)) originals_.insert(originalOf(model, part));
  }
}

KeptOriginals::Key KeptOriginals::keyOf(const PartPlan& part) noexcept {
  return {part.tensor, {part.layout.firstRow, part.layout.firstColumn}};
}

void KeptOriginals::keep(const PartPlan& part, std::span<const std::byte> words) {
  if (words.size() > room_ || !originals_.contains(part.tensor)) return;
  room_ -= words.size();
  kept_.emplace(keyOf(part), std::vector(words.begin(), words.end()));
}

const std::vector<std::byte>* KeptOriginals::find(const PartPlan& part) const {
  const auto found = kept_.find(keyOf(part));
  return found == kept_.end() ? nullptr : &found->second;
}

}  // namespace strata
