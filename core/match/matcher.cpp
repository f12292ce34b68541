#include "core/match/matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/checked_math.h"
#include "core/digest.h"
#include "core/match/detail/name_index.h"
#include "core/match/detail/plan.h"
#include "core/match/detail/related_files.h"
#include "core/match/detail/sampling.h"
#include "core/match/detail/segment_match.h"
#include "core/match/detail/transposed_copies.h"
#include "core/match/detail/whole_match.h"
#include "core/memory.h"
#include "core/model/many_tensors.h"

namespace strata {
namespace {

using match::ParentWeight;
using match::Plan;
using match::VariantWeight;
using match::VariantWeights;

/// Above this share of the cost alone, parts of other parents may serve better than one parent.
constexpr double kDoubtfulShare = 0.85;
/// Parents with the same words that are looked at without the lead of a name.
constexpr std::size_t kMostEqual = 64;

/// The parent's side of a matching.
struct Parents {
  explicit Parents(const ParentModel& model) : names(model.tensors()), sampler(model) {}

  match::NameIndex names;
  match::ParentSampler sampler;
};

/// Matches one model: identical weights, then whole ones, then parts.
class ModelMatcher {
 public:
  ModelMatcher(const ModelDescription& variant, const ParentModel& parent,
               const MatchOptions& options)
      : model_(variant),
        variants_(variant, options.variantChecksums),
        parents_(std::make_unique<Parents>(parent)),
        allowCasts_(options.allowCasts),
        plans_(variants_.size()) {}

  Result<void> run() {
    STRATA_TRY(const std::vector<std::size_t> open, matchWhole());
    match::SegmentMatcher segments(parents_->names, parents_->sampler, allowCasts_);
    const match::TransposedCopies copies(variants_);
    for (const std::size_t index : open) {
      const VariantWeight variant = variants_[index];
      if (const auto original = copies.originalOf(index)) {
        plans_[index] = transposedPlan(variant, *original);
        continue;
      }
      Plan plan = plans_[index] ? *std::move(plans_[index]) : planWithoutParent(variant);
      if (isDoubtful(variant, plan)) {
        STRATA_TRY(plan, segments.improve(variant, std::move(plan)));
      }
      plans_[index] = std::move(plan);
    }
    comparisonCount_ = parents_->sampler.pairCount();
    parents_.reset();  // makes room for what comes of it
    return {};
  }

  /// Lets weights of later files stand on those of earlier ones.
  Result<void> relateFiles() { return match::relateFiles(model_, variants_, allowCasts_, plans_); }

  const VariantWeights& variants() const noexcept { return variants_; }
  /// Once for each weight.
  Plan takePlan(std::size_t index) noexcept { return *std::exchange(plans_[index], std::nullopt); }
  std::uint64_t comparisonCount() const noexcept { return comparisonCount_; }

 private:
  /// Checksums of the weights of one side and their numbers, in order.
  using ByChecksum = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

  ByChecksum parentChecksums() const;
  ByChecksum ownChecksums() const;
  static ByChecksum::const_iterator firstOf(const ByChecksum& all, std::uint64_t checksum) {
    return std::lower_bound(all.begin(), all.end(), std::pair(checksum, std::uint32_t{0}));
  }
  Result<std::vector<std::size_t>> matchWhole();
  void matchIdentical(match::WholeMatcher& whole);
  std::vector<std::size_t> equalParents(const VariantWeight& variant,
                                        const ByChecksum& byChecksum) const;
  std::optional<std::size_t> identicalParent(const VariantWeight& variant,
                                             const ByChecksum& byChecksum);
  ParentRectangle ownRectangle(std::size_t index) const;
  Plan transposedPlan(const VariantWeight& variant, std::size_t original) const;

  std::vector<std::size_t> openVariants() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!plans_[i]) open.push_back(i);
    }
    return open;
  }

  static bool isDoubtful(const VariantWeight& variant, const Plan& plan) {
    if (plan.sure || variant.wordCount() == 0 || variant.alone.bitsPerWord == 0) return false;
    const double alone = variant.alone.bitsPerWord * static_cast<double>(variant.wordCount());
    return plan.mixed || plan.bits > kDoubtfulShare * alone;
  }

  const ModelDescription& model_;
  VariantWeights variants_;
  std::unique_ptr<Parents> parents_;  ///< null once run() is done
  bool allowCasts_;
  std::vector<std::optional<Plan>> plans_;
  std::uint64_t comparisonCount_ = 0;
};

/// Matches whole weights; gives the numbers of those that are not identical to others.
Result<std::vector<std::size_t>> ModelMatcher::matchWhole() {
  match::WholeMatcher whole(variants_, parents_->names, parents_->sampler, allowCasts_);
  matchIdentical(whole);
  std::vector<std::size_t> open = openVariants();
  STRATA_TRY(whole.match(open, plans_));
  return open;
}

Plan identicalPlan(const VariantWeight& variant, const ParentRectangle& from) {
  Plan plan = planWithoutParent(variant);
  PartMatch whole = wholeMatch(variant, from, false);
  whole.identical = true;
  whole.parent->type = variant.type;  // equal bytes are equal words of any type
  addPart(plan, variant, whole);
  return plan;
}

// Parents with the variant's checksum, ascending: of many the first ones, and those of its name.
std::vector<std::size_t> ModelMatcher::equalParents(const VariantWeight& variant,
                                                    const ByChecksum& byChecksum) const {
  std::vector<std::size_t> equal;
  for (auto at = firstOf(byChecksum, variant.checksum);
       at != byChecksum.end() && at->first == variant.checksum; ++at) {
    if (equal.size() == kMostEqual) {
      for (const std::size_t named : parents_->names.find(variant)) {
        if (named <= equal[kMostEqual - 1]) continue;
        if (parents_->sampler.checksum(named) == variant.checksum) equal.push_back(named);
      }
      break;
    }
    equal.push_back(at->second);
  }
  return equal;
}

// Of several equal parents the one whose name is most alike, then the first.
std::optional<std::size_t> ModelMatcher::identicalParent(const VariantWeight& variant,
                                                         const ByChecksum& byChecksum) {
  std::optional<std::size_t> best;
  double bestSimilarity = -1;
  for (const std::size_t index : equalParents(variant, byChecksum)) {
    const ParentWeight parent = parents_->sampler.weight(index);
    if (parent.wordCount() * parent.format.bytes != variant.words.size()) continue;
    const double similarity =
        parents_->sampler.similarity(variant, index) + (parent.type == variant.type ? 1 : 0);
    if (similarity <= bestSimilarity) continue;
    best = index;
    bestSimilarity = similarity;
  }
  return best;
}

/// Of all weights that have words.
ModelMatcher::ByChecksum ModelMatcher::parentChecksums() const {
  const match::ParentSampler& sampler = parents_->sampler;
  ByChecksum all;
  all.reserve(sampler.weightCount());
  for (std::uint32_t i = 0; i < sampler.weightCount(); ++i) {
    if (sampler.weight(i).wordCount() > 0) all.emplace_back(sampler.checksum(i), i);
  }
  std::sort(all.begin(), all.end());
  return all;
}

ModelMatcher::ByChecksum ModelMatcher::ownChecksums() const {
  ByChecksum all;
  all.reserve(variants_.size());
  for (std::uint32_t i = 0; i < variants_.size(); ++i) {
    if (variants_[i].wordCount() > 0) all.emplace_back(variants_[i].checksum, i);
  }
  std::sort(all.begin(), all.end());
  return all;
}

void ModelMatcher::matchIdentical(match::WholeMatcher& whole) {
  const ByChecksum byChecksum = parentChecksums();
  const ByChecksum own = ownChecksums();
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    const VariantWeight variant = variants_[i];
    if (variant.wordCount() == 0) continue;
    if (const auto parent = identicalParent(variant, byChecksum)) {
      whole.markUsed(*parent);
      plans_[i] = identicalPlan(variant, parents_->sampler.rectangleOf(*parent));
      continue;
    }
    const std::size_t first = firstOf(own, variant.checksum)->second;
    if (first != i && std::ranges::equal(variants_[first].words, variant.words)) {
      plans_[i] = identicalPlan(variant, ownRectangle(first));
    }
  }
}

/// All words of a weight of the variant itself.
ParentRectangle ModelMatcher::ownRectangle(std::size_t index) const {
  const TensorInfo& tensor = model_.tensors[index];
  return {{.offset = tensor.offset, .file = tensor.file, .own = true, .type = tensor.type},
          static_cast<std::uint32_t>(index)};
}

Plan ModelMatcher::transposedPlan(const VariantWeight& variant, std::size_t original) const {
  Plan plan = planWithoutParent(variant);
  addPart(plan, variant, wholeMatch(variant, ownRectangle(original), true));
  return plan;
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

TensorMatch toMatch(const Plan& plan, const VariantWeight& weight) {
  TensorMatch result;
  const bool inRows = std::all_of(plan.parts.begin(), plan.parts.end(), [&](const PartMatch& part) {
    return part.columnCount == weight.matrix.columns;
  });
  const std::uint64_t lines = inRows ? weight.matrix.rows : weight.matrix.columns;
  std::uint64_t next = 0;
  for (const PartMatch& part : plan.parts) {
    const std::uint64_t first = inRows ? part.firstRow : part.firstColumn;
    const std::uint64_t count = inRows ? part.rowCount : part.columnCount;
    if (first > next) result.parts.push_back(gapOf(weight, inRows, next, first));
    result.parts.push_back(part);
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
  if (options.comparisons != nullptr) *options.comparisons = matcher.comparisonCount();
  if (variant.tensors.size() >= kManyTensors) giveBackFreedMemory();
  std::vector<TensorMatch> matches;
  if (options.earlierFiles) STRATA_TRY(matcher.relateFiles());
  matches.reserve(variant.tensors.size());
  for (std::size_t i = 0; i < variant.tensors.size(); ++i) {
    matches.push_back(toMatch(matcher.takePlan(i), matcher.variants()[i]));
  }
  return matches;
}

}  // namespace strata
