#include "core/match/matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/checked_math.h"
#include "core/digest.h"
#include "core/match/detail/plan.h"
#include "core/match/detail/sampling.h"
#include "core/match/detail/segment_match.h"
#include "core/match/detail/whole_match.h"

namespace strata {
namespace {

using match::ParentWeight;
using match::Plan;
using match::PlannedPart;
using match::VariantWeight;

/// Above this share of the cost alone, parts of other parents may serve better than one parent.
constexpr double kDoubtfulShare = 0.85;

void describe(match::Weight& weight, ElementType type, std::span<const std::uint64_t> shape,
              std::uint64_t byteCount) {
  weight.type = type;
  weight.format = wordFormat(type);
  weight.matrix = wordMatrix(type, shape, byteCount);
  weight.splitsColumns = match::elementIsWord(type);
}

std::vector<VariantWeight> describeVariant(const ModelDescription& model,
                                           std::span<const std::uint64_t> checksums) {
  std::vector<VariantWeight> weights(model.tensors.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const TensorInfo& tensor = model.tensors[i];
    VariantWeight& weight = weights[i];
    describe(weight, tensor.type, tensor.shape, tensor.byteCount);
    weight.name = match::NamePath::ofName(tensor.name);
    weight.place = match::NamePath::ofPlace(tensor.place);
    weight.words = model.files[tensor.file].bytes.subspan(tensor.offset, tensor.byteCount);
    weight.checksum = checksums.empty() ? xxh3(weight.words) : checksums[i];
    weight.alone = match::estimateAlone(match::sampleWords(weight), weight.format);
  }
  return weights;
}

std::vector<ParentWeight> describeParent(const ParentModel& model) {
  std::vector<ParentWeight> weights;
  for (const ParentTensor& tensor : model.tensors()) {
    ParentWeight& weight = weights.emplace_back();
    describe(weight, tensor.type, tensor.shape, tensor.byteCount);
    weight.name = match::NamePath::ofName(tensor.name);
    weight.checksum = tensor.checksum;
  }
  return weights;
}

/// Matches one model: identical weights, then whole ones, then parts.
class ModelMatcher {
 public:
  ModelMatcher(const ModelDescription& variant, const ParentModel& parent,
               const MatchOptions& options)
      : variants_(describeVariant(variant, options.variantChecksums)),
        parents_(describeParent(parent)),
        sampler_(parent, parents_),
        allowCasts_(options.allowCasts),
        plans_(variants_.size()) {}

  Result<void> run() {
    match::WholeMatcher whole(variants_, sampler_, allowCasts_);
    matchIdentical(whole);
    STRATA_TRY(std::vector<std::optional<Plan>> found, whole.match(openVariants()));
    match::SegmentMatcher segments(sampler_, allowCasts_);
    for (const std::size_t index : openVariants()) {
      const VariantWeight& variant = variants_[index];
      if (auto own = transposedCopy(index)) {
        plans_[index] = std::move(own);
        continue;
      }
      Plan plan = found[index] ? std::move(*found[index]) : planWithoutParent(variant);
      if (isDoubtful(variant, plan)) {
        STRATA_TRY(plan, segments.improve(variant, std::move(plan)));
      }
      plans_[index] = std::move(plan);
    }
    return {};
  }

  std::span<const VariantWeight> variants() const noexcept { return variants_; }
  const Plan& plan(std::size_t index) const noexcept { return *plans_[index]; }

 private:
  void matchIdentical(match::WholeMatcher& whole);
  std::optional<std::size_t> identicalParent(const VariantWeight& variant) const;
  std::optional<Plan> transposedCopy(std::size_t index) const;

  std::vector<std::size_t> openVariants() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!plans_[i]) open.push_back(i);
    }
    return open;
  }

  static bool isDoubtful(const VariantWeight& variant, const Plan& plan) {
    if (variant.wordCount() == 0 || variant.alone.bitsPerWord == 0) return false;
    const double alone = variant.alone.bitsPerWord * static_cast<double>(variant.wordCount());
    return plan.mixed || plan.bits > kDoubtfulShare * alone;
  }

  std::vector<VariantWeight> variants_;
  std::vector<ParentWeight> parents_;
  match::ParentSampler sampler_;
  bool allowCasts_;
  std::vector<std::optional<Plan>> plans_;
  std::unordered_multimap<std::uint64_t, std::size_t> parentsByChecksum_;
};

Plan identicalPlan(const VariantWeight& variant, std::size_t parent, bool own) {
  Plan plan = planWithoutParent(variant);
  addPart(plan, variant, {wholeRegion(variant, parent, false), 0, true, own});
  return plan;
}

// Of several equal parents the one whose name is most alike, then the first.
std::optional<std::size_t> ModelMatcher::identicalParent(const VariantWeight& variant) const {
  std::optional<std::size_t> best;
  double bestSimilarity = -1;
  const auto [begin, end] = parentsByChecksum_.equal_range(variant.checksum);
  for (auto at = begin; at != end; ++at) {
    const ParentWeight& parent = parents_[at->second];
    if (parent.wordCount() * parent.format.bytes != variant.words.size()) continue;
    const double similarity = variant.similarity(parent) + (parent.type == variant.type ? 1 : 0);
    const bool earlier = similarity == bestSimilarity && at->second < *best;
    if (similarity < bestSimilarity || (similarity == bestSimilarity && !earlier)) continue;
    best = at->second;
    bestSimilarity = similarity;
  }
  return best;
}

void ModelMatcher::matchIdentical(match::WholeMatcher& whole) {
  for (std::size_t i = 0; i < parents_.size(); ++i) {
    if (parents_[i].wordCount() > 0) parentsByChecksum_.emplace(parents_[i].checksum, i);
  }
  std::unordered_map<std::uint64_t, std::size_t> firstOwn;
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    const VariantWeight& variant = variants_[i];
    if (variant.words.empty()) continue;
    const auto [own, isFirst] = firstOwn.emplace(variant.checksum, i);
    if (const auto parent = identicalParent(variant)) {
      whole.markUsed(*parent);
      plans_[i] = identicalPlan(variant, *parent, false);
    } else if (!isFirst && std::ranges::equal(variants_[own->second].words, variant.words)) {
      plans_[i] = identicalPlan(variant, own->second, true);
    }
  }
}

// An earlier weight of the variant that holds the same words the other way round, as tied input and
// output embeddings do in many exports.
std::optional<Plan> ModelMatcher::transposedCopy(std::size_t index) const {
  const VariantWeight& variant = variants_[index];
  const auto [rows, columns] = variant.matrix;
  if (rows == 1 || columns == 1 || !variant.splitsColumns) return std::nullopt;
  if (variant.alone.bitsPerWord == 0) return std::nullopt;
  constexpr std::uint64_t kCompared = 256;
  for (std::size_t i = 0; i < index; ++i) {
    const VariantWeight& other = variants_[i];
    if (other.type != variant.type || other.matrix != WordMatrix{columns, rows}) continue;
    bool same = true;
    for (std::uint64_t k = 0; k < kCompared && same; ++k) {
      const std::uint64_t at = (k * 0x9E3779B97F4A7C15ULL >> 16) % variant.wordCount();
      same = variant.word(at) == other.word(at % columns * rows + at / columns);
    }
    if (!same) continue;
    Plan plan = planWithoutParent(variant);
    addPart(plan, variant, {wholeRegion(variant, i, true), 0, false, true});
    return plan;
  }
  return std::nullopt;
}

PartMatch partOf(const PlannedPart& part, const ModelDescription& variant,
                 const ParentModel& parent, ElementType variantType) {
  const match::Region& region = part.region;
  ParentRectangle rectangle;
  rectangle.own = part.own;
  rectangle.tensor = static_cast<std::uint32_t>(region.parent);
  rectangle.transposed = region.transposed;
  if (part.own) {
    const TensorInfo& tensor = variant.tensors[region.parent];
    rectangle.file = tensor.file;
    rectangle.offset = tensor.offset;
    rectangle.type = tensor.type;
  } else {
    const ParentTensor& tensor = parent.tensors()[region.parent];
    rectangle.file = tensor.file;
    rectangle.offset = tensor.offset;
    rectangle.type = tensor.type;
  }
  rectangle.offset += region.parentWord * wordFormat(rectangle.type).bytes;
  // Equal bytes are equal words of any type.
  if (part.identical) rectangle.type = variantType;
  const std::uint64_t width = region.transposed ? region.rowCount : region.columnCount;
  rectangle.stride = region.stride == width ? 0 : region.stride;
  return {region.firstRow, region.rowCount, region.firstColumn, region.columnCount,
          rectangle,       part.identical,  part.bitsPerWord};
}

// The lines [first, end) along the plan's axis that no part covers.
PartMatch gapOf(const VariantWeight& variant, bool inRows, std::uint64_t first, std::uint64_t end) {
  PartMatch gap;
  gap.firstRow = inRows ? first : 0;
  gap.rowCount = inRows ? end - first : variant.matrix.rows;
  gap.firstColumn = inRows ? 0 : first;
  gap.columnCount = inRows ? variant.matrix.columns : end - first;
  gap.bitsPerWord = variant.alone.bitsPerWord;
  return gap;
}

TensorMatch toMatch(const Plan& plan, const VariantWeight& weight, const ModelDescription& variant,
                    const ParentModel& parent) {
  TensorMatch result;
  result.bitsPerWordAlone = weight.alone.bitsPerWord;
  const bool inRows = std::all_of(plan.parts.begin(), plan.parts.end(), [&](const auto& part) {
    return part.region.columnCount == weight.matrix.columns;
  });
  const std::uint64_t lines = inRows ? weight.matrix.rows : weight.matrix.columns;
  std::uint64_t next = 0;
  for (const PlannedPart& part : plan.parts) {
    const std::uint64_t first = inRows ? part.region.firstRow : part.region.firstColumn;
    const std::uint64_t count = inRows ? part.region.rowCount : part.region.columnCount;
    if (first > next) result.parts.push_back(gapOf(weight, inRows, next, first));
    result.parts.push_back(partOf(part, variant, parent, weight.type));
    next = first + count;
  }
  if (next < lines) result.parts.push_back(gapOf(weight, inRows, next, lines));
  return result;
}

}  // namespace

WordMatrix wordMatrix(ElementType type, std::span<const std::uint64_t> shape,
                      std::uint64_t byteCount) noexcept {
  const std::uint64_t words = byteCount / wordFormat(type).bytes;
  const WordMatrix oneRow{1, words};
  if (shape.size() < 2 || shape[0] == 0 || words % shape[0] != 0) return oneRow;
  const std::uint32_t bits = bitsPerElement(type);
  if (bits < 8) {
    std::uint64_t elementsModEight = 1;
    for (const std::uint64_t dimension : shape.subspan(1)) {
      elementsModEight = elementsModEight * (dimension % 8) % 8;
    }
    if (elementsModEight * bits % 8 != 0) return oneRow;
  }
  return {shape[0], words / shape[0]};
}

Result<std::vector<TensorMatch>> matchModel(const ModelDescription& variant,
                                            const ParentModel& parent,
                                            const MatchOptions& options) {
  if (!options.variantChecksums.empty() &&
      options.variantChecksums.size() != variant.tensors.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} checksums for {} tensors", options.variantChecksums.size(),
                            variant.tensors.size()));
  }
  ModelMatcher matcher(variant, parent, options);
  STRATA_TRY(matcher.run());
  std::vector<TensorMatch> matches;
  matches.reserve(variant.tensors.size());
  for (std::size_t i = 0; i < variant.tensors.size(); ++i) {
    matches.push_back(toMatch(matcher.plan(i), matcher.variants()[i], variant, parent));
  }
  return matches;
}

}  // namespace strata
