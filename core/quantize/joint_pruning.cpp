#include "core/quantize/joint_pruning.h"

#include <algorithm>
#include <cmath>

#include "core/codec/lossy/level_sketch.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// ExCP's own clamp, in medians.
constexpr double kMostMedians = 2.5;
constexpr double kMiddle = 0.5;
/// From there on words may be refused as extremes (core/codec/words/extreme_words.h), and from here
/// down, too: neither can be pruned by.
constexpr float kMostMoment = 1024;
constexpr float kLeastMoment = 0x1p-100F;
constexpr std::size_t kPieceWords = std::size_t{1} << 16;

/// What a moment's tensor is pruned by.
struct MomentFigures {
  double mean = 0;  ///< of sizes
  bool isUsable = true;
};

MomentFigures figuresOf(const ModelDescription& model, std::uint32_t index, bool areSquares) {
  const TensorInfo& tensor = model.tensors[index];
  const auto bytes = bytesOf(model, tensor);
  const WordFormat word = wordFormat(tensor.type);
  MomentFigures figures;
  double sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPieceWords * word.bytes) {
    const auto piece = bytes.subspan(at, std::min(kPieceWords * word.bytes, bytes.size() - at));
    for (const float value : valuesOf({word, 1, piece.size() / word.bytes}, piece)) {
      const bool isNumber = std::fabs(value) < kMostMoment && !(areSquares && value < 0);
      figures.isUsable = figures.isUsable && isNumber;
      sum += std::fabs(value);
    }
  }
  figures.mean = sum / static_cast<double>(std::max<std::size_t>(bytes.size() / word.bytes, 1));
  return figures;
}

std::vector<float> partValues(const ModelDescription& model, std::uint32_t index,
                              const PartPlan& part) {
  const TensorInfo& tensor = model.tensors[index];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  const PartShape shape{wordFormat(tensor.type), part.layout.rowCount, part.layout.columnCount};
  WordBuffer<std::byte> buffer;
  return valuesOf(
      shape, rowsOf(bytesOf(model, tensor), part.layout, shape.word.bytes, matrix.columns, buffer));
}

bool isByLevels(const std::optional<LossyChoice>& choice) noexcept {
  return choice && choice->codec == CodecId::Levels && choice->settings.levelCount != 0 &&
         choice->refusal.empty();
}

void refuse(std::optional<LossyChoice>& choice, std::string reason) {
  if (isByLevels(choice)) choice->refusal = std::move(reason);
}

/// Whether changes to the parent are what is coded.
bool hasChanges(const PartPlan& part) noexcept { return part.view && !part.view->own; }

}  // namespace

JointPruning::JointPruning(const ModelDescription& model, const ModelPlan& plan,
                           const VersionReader* parent, std::span<const OptimizerPair> pairs)
    : model_(model), plan_(plan), encoder_(model, parent, Effort::Default, {}) {
  std::vector<bool> isPaired(model.tensors.size());
  for (const OptimizerPair& pair : pairs) {
    if (isPaired[pair.weights]) continue;
    isPaired[pair.weights] = true;
    families_.push_back({pair.weights, pair.firstMoment, pair.secondMoment});
  }
  for (std::uint32_t t = 0; t < model.tensors.size(); ++t) {
    if (!isPaired[t] && !isOptimizerState(model.tensors[t].kind)) families_.push_back({t, {}, {}});
  }
  for (std::size_t i = 0; i < plan.parts.size(); ++i) partsOf_[plan.parts[i].tensor].push_back(i);
}

Result<void> JointPruning::apply(std::vector<std::optional<LossyChoice>>& choices) const {
  STRATA_TRY(
      parallelFor(families_.size(), [&](std::size_t i) { return applyTo(families_[i], choices); }));
  for (std::size_t t = 0; t < choices.size(); ++t) {
    const bool isMoment = isOptimizerState(model_.tensors[t].kind);
    if (isMoment && isByLevels(choices[t]) && !choices[t]->keep) {
      refuse(choices[t], "belongs to no weight that has no other moments");
    }
  }
  return {};
}

Result<void> JointPruning::applyTo(const Family& family,
                                   std::vector<std::optional<LossyChoice>>& choices) const {
  std::optional<LossyChoice> none;
  std::optional<LossyChoice>& weights = choices[family.weights];
  std::optional<LossyChoice>& first = family.first ? choices[*family.first] : none;
  std::optional<LossyChoice>& second = family.second ? choices[*family.second] : none;
  const bool prunesChange = isByLevels(weights) && weights->settings.pruneAlpha > 0;
  if (!prunesChange && !isByLevels(first) && !isByLevels(second)) return {};
  MomentFigures firsts;
  MomentFigures seconds;
  if (isByLevels(first)) firsts = figuresOf(model_, *family.first, false);
  if (family.second && isQuantizable(wordFormat(model_.tensors[*family.second].type))) {
    seconds = figuresOf(model_, *family.second, true);
  }
  if (!firsts.isUsable || !seconds.isUsable) {
    const std::string reason =
        "it or the other moment of its weight has values that are no "
        "moments: infinite, NaN, 1024 or more, or below 0";
    refuse(first, reason);
    refuse(second, reason);
  }
  if (!isByLevels(first)) refuse(second, "is pruned with its first moment, which is not");
  // Such a tensor is the parent's, whatever its choice says.
  if (family.first && isIdentical(*family.first)) {
    refuse(second, "is pruned with its first moment, which is as before");
  }
  Bounds bounds;
  if (prunesChange) {
    STRATA_TRY(const float median, medianChange(family.weights));
    const bool isKnown = family.second && seconds.isUsable && seconds.mean > 0;
    const double medians =
        isKnown ? weights->settings.pruneAlpha / std::sqrt(seconds.mean) : kMostMedians;
    bounds.change = static_cast<float>(std::min(medians, kMostMedians) * median);
    weights->settings.pruneBelow = bounds.change;
    weights->settings.zeroApart = true;
  }
  if (!isByLevels(first)) return {};
  bounds.first = first->settings.pruneBeta * firsts.mean;
  for (std::optional<LossyChoice>* const moment : {&first, &second}) {
    if (!isByLevels(*moment)) continue;
    (*moment)->keep = [this, family, bounds](const PartPlan& part, std::span<std::uint8_t> kept) {
      return keep(family, bounds, part, kept);
    };
  }
  return {};
}

bool JointPruning::isIdentical(std::uint32_t tensor) const {
  const auto found = partsOf_.find(tensor);
  return found != partsOf_.end() && plan_.parts[found->second.front()].isIdentical;
}

/// Within a percent: that of a sketch. 0 where nothing has a parent.
Result<float> JointPruning::medianChange(std::uint32_t weights) const {
  LevelSketch sketch;
  const auto found = partsOf_.find(weights);
  if (found == partsOf_.end()) return 0;
  for (const std::size_t i : found->second) {
    const PartPlan& part = plan_.parts[i];
    if (part.isIdentical || !hasChanges(part)) continue;
    STRATA_TRY(PartEncoder::Sides sides, encoder_.sides(part, {}));
    for (std::size_t k = 0; k < sides.words.size(); ++k) sides.words[k] -= sides.parent[k];
    sketch.add(sides.words);
  }
  return sketch.magnitudeAt(kMiddle);
}

Result<void> JointPruning::keep(const Family& family, const Bounds& bounds, const PartPlan& part,
                                std::span<std::uint8_t> kept) const {
  const std::vector<float> first = partValues(model_, *family.first, part);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const float size = std::fabs(first[i]);
    kept[i] = size > bounds.first && size >= kLeastMoment ? 1 : 0;
  }
  if (family.second) {
    const std::vector<float> second = partValues(model_, *family.second, part);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!(second[i] >= kLeastMoment)) kept[i] = 0;
    }
  }
  const auto found = partsOf_.find(family.weights);
  if (!bounds.change || found == partsOf_.end()) return {};
  for (const std::size_t i : found->second) {
    STRATA_TRY(dropByChange(plan_.parts[i], *bounds.change, part, kept));
  }
  return {};
}

/// Drops the words of `part` whose weights lie in `weights` and did not change by more.
Result<void> JointPruning::dropByChange(const PartPlan& weights, float bound, const PartPlan& part,
                                        std::span<std::uint8_t> kept) const {
  const PartLayout& w = weights.layout;
  const PartLayout& p = part.layout;
  const std::uint64_t firstRow = std::max(w.firstRow, p.firstRow);
  const std::uint64_t endRow = std::min(w.firstRow + w.rowCount, p.firstRow + p.rowCount);
  const std::uint64_t firstColumn = std::max(w.firstColumn, p.firstColumn);
  const std::uint64_t endColumn =
      std::min(w.firstColumn + w.columnCount, p.firstColumn + p.columnCount);
  if (firstRow >= endRow || firstColumn >= endColumn || !hasChanges(weights)) return {};
  PartEncoder::Sides sides;
  if (!weights.isIdentical) {
    STRATA_TRY(sides, encoder_.sides(weights, {}));
  }
  for (std::uint64_t row = firstRow; row < endRow; ++row) {
    for (std::uint64_t column = firstColumn; column < endColumn; ++column) {
      const std::size_t at = (row - w.firstRow) * w.columnCount + (column - w.firstColumn);
      const bool goes =
          weights.isIdentical || !(std::fabs(sides.words[at] - sides.parent[at]) > bound);
      if (goes) kept[(row - p.firstRow) * p.columnCount + (column - p.firstColumn)] = 0;
    }
  }
  return {};
}

}  // namespace strata
