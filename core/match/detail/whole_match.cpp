#include "core/match/detail/whole_match.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace strata::match {
namespace {

/// Of more parents of one size only those are measured that names or a few words propose.
constexpr std::size_t kManyParents = 64;
/// A good match by name ends the search for so few words.
constexpr std::uint64_t kFewWords = 1024;
constexpr double kSurelyRelated = 0.8;
/// What an unused parent is worth, as a share of the cost alone.
constexpr double kUnusedBonus = 0.05;
constexpr std::uint64_t kSmallWords = 4096;

double nameBonus(const VariantWeight& variant, double similarity) noexcept {
  return similarity * (variant.wordCount() <= kSmallWords ? 0.08 : 0.02);
}

// A vector is the same either way; a matrix of the same shape is transposed only if square.
bool worthTrying(const VariantWeight& variant, const ParentWeight& parent,
                 bool transposed) noexcept {
  const auto [rows, columns] = variant.matrix;
  const WordMatrix reversed{columns, rows};
  const bool sameShape = parent.matrix == variant.matrix;
  if (transposed) {
    if (rows == 1 || columns == 1 || !variant.splitsColumns) return false;
    return !sameShape || rows == columns;
  }
  return sameShape || parent.matrix != reversed || rows == 1 || columns == 1;
}

}  // namespace

WholeMatcher::WholeMatcher(const VariantWeights& variants, const NameIndex& names,
                           ParentSampler& sampler, bool allowCasts)
    : variants_(variants),
      names_(names),
      sampler_(sampler),
      allowCasts_(allowCasts),
      used_(sampler.weightCount()) {
  for (std::size_t i = 0; i < sampler.weightCount(); ++i) {
    const std::uint64_t count = sampler.weight(i).wordCount();
    if (count > 0) parentsByWordCount_[count].push_back(i);
  }
}

Result<std::vector<WholeMatcher::Candidate>> WholeMatcher::measureAll(
    const VariantWeight& variant, std::span<const std::size_t> parents) {
  std::vector<Candidate> candidates;
  for (const std::size_t index : parents) {
    const ParentWeight parent = sampler_.weight(index);
    if (!canServe(parent, variant, allowCasts_)) continue;
    const double similarity = sampler_.similarity(variant, index);
    for (const bool transposed : {false, true}) {
      if (!worthTrying(variant, parent, transposed)) continue;
      const PartMatch whole = wholeMatch(variant, sampler_.rectangleOf(index), transposed);
      STRATA_TRY(const DeltaCost cost, sampler_.measure(variant, whole));
      if (!pays(cost, variant, similarity)) continue;
      const double share = cost.bitsPerWord / variant.alone.bitsPerWord;
      candidates.push_back({.bitsPerWord = cost.bitsPerWord,
                            .score = share - nameBonus(variant, similarity),
                            .parent = static_cast<std::uint32_t>(index),
                            .transposed = transposed,
                            .mixed = cost.mixed,
                            .keeps = cost.keeps});
    }
  }
  return candidates;
}

std::vector<std::size_t> WholeMatcher::proposedByName(const VariantWeight& variant) const {
  std::vector<std::size_t> proposed = names_.find(variant);
  std::erase_if(proposed, [&](std::size_t index) {
    return sampler_.weight(index).wordCount() != variant.wordCount();
  });
  return proposed;
}

Result<std::vector<std::size_t>> WholeMatcher::proposedByWords(
    const VariantWeight& variant, std::span<const std::size_t> parents) {
  std::vector<std::size_t> proposed;
  if (variant.wordCount() < LikenessIndex::kLeastWords) return proposed;
  std::unique_ptr<LikenessIndex>& index = likeness_[variant.wordCount()];
  if (index == nullptr) {
    STRATA_TRY(LikenessIndex made, LikenessIndex::make(sampler_, parents, variant.wordCount()));
    index = std::make_unique<LikenessIndex>(std::move(made));
  }
  LikenessIndex::Nearest nearest = index->nearest(variant, false, allowCasts_);
  proposed = std::move(nearest.parents);
  const bool isMatrix = variant.matrix.rows > 1 && variant.matrix.columns > 1;
  if (isMatrix && variant.splitsColumns && !nearest.areRelated) {
    nearest = index->nearest(variant, true, allowCasts_);
    if (nearest.areRelated) return std::move(nearest.parents);
    proposed.insert(proposed.end(), nearest.parents.begin(), nearest.parents.end());
  }
  return proposed;
}

Result<std::vector<WholeMatcher::Candidate>> WholeMatcher::candidatesFor(
    const VariantWeight& variant) {
  const auto group = parentsByWordCount_.find(variant.wordCount());
  const bool isConstant = variant.alone.bitsPerWord == 0;  // nothing is cheaper
  if (group == parentsByWordCount_.end() || isConstant) return std::vector<Candidate>{};
  const std::vector<std::size_t>& parents = group->second;
  const bool areMany = parents.size() > kManyParents;
  if (!areMany && variant.wordCount() > kFewWords) return measureAll(variant, parents);

  std::vector<std::size_t> proposed = proposedByName(variant);
  std::vector<std::size_t> named;
  std::copy_if(proposed.begin(), proposed.end(), std::back_inserter(named),
               [&](std::size_t index) { return sampler_.similarity(variant, index) >= kNamed; });
  STRATA_TRY(std::vector<Candidate> candidates, measureAll(variant, named));
  const bool sure =
      std::any_of(candidates.begin(), candidates.end(),
                  [](const Candidate& candidate) { return candidate.score < kSurelyRelated; });
  if (sure) return candidates;
  if (!areMany) return measureAll(variant, parents);
  STRATA_TRY(const std::vector<std::size_t> alike, proposedByWords(variant, parents));
  proposed.insert(proposed.end(), alike.begin(), alike.end());
  std::sort(proposed.begin(), proposed.end());
  proposed.erase(std::unique(proposed.begin(), proposed.end()), proposed.end());
  return measureAll(variant, proposed);
}

const WholeMatcher::Candidate& WholeMatcher::choose(const Candidates& candidates,
                                                    const Choice& choice) const {
  const auto price = [this](const Candidate& candidate) {
    return candidate.score + (used_[candidate.parent] ? kUnusedBonus : 0);
  };
  const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(choice.first);
  return *std::min_element(
      first, first + static_cast<std::ptrdiff_t>(choice.count),
      [&](const Candidate& a, const Candidate& b) { return price(a) < price(b); });
}

void WholeMatcher::take(const Candidate& chosen, const VariantWeight& variant,
                        std::optional<Plan>& out) {
  Plan plan = planWithoutParent(variant);
  PartMatch whole = wholeMatch(variant, sampler_.rectangleOf(chosen.parent), chosen.transposed);
  whole.bitsPerWord = chosen.bitsPerWord;
  addPart(plan, variant, whole);
  plan.mixed = chosen.mixed;
  plan.sure = chosen.keeps && sampler_.similarity(variant, chosen.parent) >= kNamed;
  used_[chosen.parent] = true;
  out = std::move(plan);
}

Result<void> WholeMatcher::match(std::span<const std::size_t> open,
                                 std::span<std::optional<Plan>> plans) {
  Candidates all;
  std::vector<Choice> choices;
  choices.reserve(open.size());
  for (const std::size_t index : open) {
    STRATA_TRY(const std::vector<Candidate> candidates, candidatesFor(variants_[index]));
    if (candidates.empty()) continue;
    const auto best =
        std::min_element(candidates.begin(), candidates.end(),
                         [](const auto& a, const auto& b) { return a.score < b.score; });
    choices.push_back({.bestScore = best->score,
                       .variant = static_cast<std::uint32_t>(index),
                       .count = static_cast<std::uint32_t>(candidates.size()),
                       .first = all.size()});
    all.insert(all.end(), candidates.begin(), candidates.end());
  }
  likeness_.clear();  // makes room for the plans
  parentsByWordCount_.clear();
  sampler_.forgetOfMany();
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::pair(a.bestScore, a.variant) < std::pair(b.bestScore, b.variant);
  });
  for (const Choice& choice : choices) {
    take(choose(all, choice), variants_[choice.variant], plans[choice.variant]);
  }
  return {};
}

}  // namespace strata::match
