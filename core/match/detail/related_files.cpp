#include "core/match/detail/related_files.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace strata::match {
namespace {

/// Weights of earlier files that are looked at for one of a later file.
constexpr std::size_t kMostCandidates = 4;
/// A second reading of the earlier weight at each restore has to win by more than noise.
constexpr double kGainOfOwn = 0.95;

/// A model as the parent of itself.
class OwnParent final : public ParentModel {
 public:
  explicit OwnParent(const ModelDescription& model) : model_(model) {
    tensors_.reserve(model.tensors.size());
    for (const TensorInfo& tensor : model.tensors) {
      ParentTensor& own = tensors_.emplace_back();
      own.name = tensor.name;
      own.matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
      own.type = tensor.type;
      own.file = tensor.file;
      own.offset = tensor.offset;
    }
  }

  std::span<const ParentTensor> tensors() const noexcept override { return tensors_; }
  Result<void> read(std::uint32_t file, std::uint64_t offset,
                    std::span<std::byte> out) const override {
    model_.files[file].bytes.copy(offset, out);
    return {};
  }

 private:
  const ModelDescription& model_;
  std::vector<ParentTensor> tensors_;
};

/// Whether the earlier weight has the later one's shape, that way round.
bool fits(const VariantWeight& variant, const ParentWeight& parent, bool transposed) noexcept {
  const auto [rows, columns] = variant.matrix;
  if (!transposed) return parent.matrix == variant.matrix;
  return rows > 1 && columns > 1 && variant.splitsColumns &&
         parent.matrix == WordMatrix{columns, rows};
}

bool hasOwnPart(const Plan& plan) {
  return std::any_of(plan.parts.begin(), plan.parts.end(),
                     [](const PartMatch& part) { return part.parent->own; });
}

/// The keys of a weight's name and of its place, those that tell anything.
std::vector<std::uint64_t> keysOf(const VariantWeight& weight) {
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t key :
       {NamePath::ofName(weight.name).key(), NamePath::ofPlace(weight.place).key()}) {
    if (key != 0 && (keys.empty() || keys.front() != key)) keys.push_back(key);
  }
  return keys;
}

class EarlierFiles {
 public:
  EarlierFiles(const ModelDescription& model, const VariantWeights& weights, bool allowCasts,
               std::vector<std::optional<Plan>>& plans)
      : model_(model), weights_(weights), allowCasts_(allowCasts), plans_(plans) {}

  Result<void> run() {
    const OwnParent self(model_);
    ParentSampler sampler(self);
    std::vector<bool> isTarget(weights_.size());
    for (const auto& plan : plans_) {
      for (const PartMatch& part : plan->parts) {
        if (part.parent->own) isTarget[part.parent->tensor] = true;
      }
    }
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const VariantWeight weight = weights_[i];
      if (weight.wordCount() == 0 || weight.alone.bitsPerWord == 0) continue;
      if (!isTarget[i]) STRATA_TRY(improve(i, sampler));
      if (!hasOwnPart(*plans_[i])) remember(i);
    }
    return {};
  }

 private:
  void remember(std::size_t index) {
    for (const std::uint64_t key : keysOf(weights_[index])) {
      std::vector<std::size_t>& known = byKey_[key];
      if (known.size() < kMostCandidates) known.push_back(index);
    }
  }

  Result<void> improve(std::size_t index, ParentSampler& sampler) {
    const VariantWeight variant = weights_[index];
    for (const std::uint64_t key : keysOf(variant)) {
      const auto known = byKey_.find(key);
      if (known == byKey_.end()) continue;
      for (const std::size_t earlier : known->second) {
        if (model_.tensors[earlier].file == model_.tensors[index].file) continue;
        STRATA_TRY(tryEarlier(index, earlier, sampler));
      }
    }
    return {};
  }

  Result<void> tryEarlier(std::size_t index, std::size_t earlier, ParentSampler& sampler) {
    const VariantWeight variant = weights_[index];
    const ParentWeight parent = sampler.weight(earlier);
    if (!canServe(parent, variant, allowCasts_)) return {};
    for (const bool transposed : {false, true}) {
      if (!fits(variant, parent, transposed)) continue;
      PartMatch whole = wholeMatch(variant, sampler.rectangleOf(earlier), transposed);
      STRATA_TRY(const DeltaCost cost, sampler.measure(variant, whole));
      if (!pays(cost, variant, 1)) continue;
      whole.parent->own = true;
      whole.bitsPerWord = cost.bitsPerWord;
      Plan plan = planWithoutParent(variant);
      addPart(plan, variant, whole);
      if (plan.bits < kGainOfOwn * plans_[index]->bits) plans_[index] = std::move(plan);
    }
    return {};
  }

  const ModelDescription& model_;
  const VariantWeights& weights_;
  bool allowCasts_;
  std::vector<std::optional<Plan>>& plans_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> byKey_;
};

}  // namespace

Result<void> relateFiles(const ModelDescription& model, const VariantWeights& weights,
                         bool allowCasts, std::vector<std::optional<Plan>>& plans) {
  const bool isOneFile =
      model.tensors.empty() || model.tensors.front().file == model.tensors.back().file;
  if (isOneFile) return {};
  return EarlierFiles(model, weights, allowCasts, plans).run();
}

}  // namespace strata::match
