#include "core/archive/write/steps/step_fit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/archive/write/counterparts.h"
#include "core/codec/predict/fit_drift.h"

namespace strata {
namespace {

/// Of the largest tensors so many are looked at, and so many words of each, in two pieces: rows of
/// an embedding that no batch has touched tell nothing.
constexpr std::size_t kTriedPairs = 8;
constexpr std::uint64_t kTriedWords = 4096;
constexpr std::uint64_t kPieces = 2;
/// Most steps between two snapshots: beyond, little is left of the old moments.
constexpr float kMostSteps = 100'000;

using Words = std::vector<std::uint32_t>;

/// The same places of all tensors of a list's pairs, before and after the step.
struct SampledWords {
  Words before[3];
  Words after[3];
};

class StepSampler {
 public:
  StepSampler(const ModelDescription& model, const VersionReader& parent)
      : model_(model),
        parent_(parent),
        tensors_(parentTensors(parent.manifest())),
        counterparts_(tensors_, &parent.manifest(), model) {}

  Result<SampledWords> sample(const std::vector<OptimizerPair>& pairs) const {
    SampledWords out;
    for (const OptimizerPair* pair : largest(pairs)) {
      const std::optional<std::uint32_t> members[] = {pair->weights, pair->firstMoment,
                                                      pair->secondMoment};
      for (std::size_t i = 0; i < std::size(members); ++i) {
        if (!members[i]) continue;
        STRATA_TRY(add(model_.tensors[*members[i]], out.before[i], out.after[i]));
      }
    }
    return out;
  }

  /// Steps between the parent and the model by a tensor of both; nothing where it does not tell.
  std::optional<std::uint64_t> stepCount(std::uint32_t number) const {
    if (!isKnown(number) || model_.tensors[number].byteCount != sizeof(float)) return std::nullopt;
    const TensorInfo& tensor = model_.tensors[number];
    const PartView there = *counterparts_.of(tensor);
    float before = 0;
    float now = 0;
    model_.files[tensor.file].bytes.copy(tensor.offset, std::as_writable_bytes(std::span(&now, 1)));
    const auto read =
        parent_.read(there.file, there.offset, std::as_writable_bytes(std::span(&before, 1)));
    const float count = now - before;
    if (!read || !(count >= 1 && count < kMostSteps)) return std::nullopt;
    return static_cast<std::uint64_t>(count);
  }

 private:
  bool isKnown(std::uint32_t index) const {
    if (index >= model_.tensors.size()) return false;
    const TensorInfo& tensor = model_.tensors[index];
    return tensor.type == ElementType::F32 && counterparts_.of(tensor);
  }

  /// Pairs of which the parent has all, with moments alike.
  std::vector<const OptimizerPair*> largest(const std::vector<OptimizerPair>& pairs) const {
    std::vector<const OptimizerPair*> found;
    const bool hasSecond = !pairs.empty() && pairs.front().secondMoment.has_value();
    for (const OptimizerPair& pair : pairs) {
      const bool isAlike =
          pair.secondMoment.has_value() == hasSecond && (!hasSecond || isKnown(*pair.secondMoment));
      if (isAlike && isKnown(pair.weights) && isKnown(pair.firstMoment)) found.push_back(&pair);
    }
    const std::size_t count = std::min(kTriedPairs, found.size());
    const auto bytesOf = [&](const OptimizerPair* pair) {
      return model_.tensors[pair->weights].byteCount;
    };
    std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(count),
                              std::ranges::greater(), bytesOf);
    found.resize(count);
    return found;
  }

  Result<void> add(const TensorInfo& tensor, Words& before, Words& after) const {
    const PartView there = *counterparts_.of(tensor);
    const std::uint64_t words = tensor.byteCount / sizeof(std::uint32_t);
    const std::uint64_t count = std::min(words, kTriedWords / kPieces);
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      const std::uint64_t at = (words - count) * piece * sizeof(std::uint32_t);
      const auto roomIn = [&](Words& list) {
        list.resize(list.size() + count);
        return std::as_writable_bytes(std::span(list).last(count));
      };
      STRATA_TRY(parent_.read(there.file, there.offset + at, roomIn(before)));
      model_.files[tensor.file].bytes.copy(tensor.offset + at, roomIn(after));
    }
    return {};
  }

  const ModelDescription& model_;
  const VersionReader& parent_;
  std::vector<ParentTensor> tensors_;
  Counterparts counterparts_;
};

std::optional<AdamStep> stepOf(const StepSettings& settings, const StepSample& sample) {
  if (settings.stepCount > 1) {
    const auto drift = fitDrift(settings, sample);
    return drift ? std::optional(drift->step) : std::nullopt;
  }
  const auto fitted = fitStep(settings, sample);
  return fitted ? std::optional(fitted->step) : std::nullopt;
}

}  // namespace

Result<std::vector<StepGroup>> fitSteps(const ModelDescription& model, const VersionReader& parent,
                                        std::span<const OptimizerSettings> optimizer) {
  const StepSampler sampler(model, parent);
  std::vector<StepGroup> groups;
  for (const OptimizerSettings& list : optimizer) {
    STRATA_TRY(const SampledWords words, sampler.sample(list.pairs));
    const StepSample sample{.m0 = words.before[1],
                            .m1 = words.after[1],
                            .v0 = words.before[2],
                            .v1 = words.after[2],
                            .w0 = words.before[0],
                            .w1 = words.after[0]};
    StepSettings settings = list.settings;
    if (list.stepTensor) {
      settings.stepCount = sampler.stepCount(*list.stepTensor).value_or(settings.stepCount);
    }
    const auto step = stepOf(settings, sample);
    if (!step) continue;
    for (const OptimizerPair& pair : list.pairs) {
      groups.push_back({.weights = pair.weights,
                        .firstMoment = pair.firstMoment,
                        .secondMoment = pair.secondMoment,
                        .steps = {*step}});
    }
  }
  return groups;
}

}  // namespace strata
