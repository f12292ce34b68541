#include "core/match/detail/segment_match.h"

#include <algorithm>

#include "core/match/detail/line_alignment.h"

namespace strata::match {
namespace {

/// A merged weight has at most this many parts, each as long as the shortest.
constexpr std::uint64_t kMaxParts = 64;
/// Lines shorter than this tell too little to be told apart one by one.
constexpr std::uint64_t kMinAlignedLength = 16;
constexpr std::uint64_t kMinAlignedLines = 8;
constexpr std::size_t kMaxAlignments = 4;
/// A new plan must be this much cheaper than a simpler one.
constexpr double kClearlyCheaper = 0.98;
/// Blocks of parents that all searches together may read without the lead of a name: about a second
/// of decoding, for models in which much is new.
constexpr std::size_t kMaxReads = 2048;
/// What all searches together may spend otherwise without such a lead: about a second each.
constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 22;
constexpr std::uint64_t kMaxMeasures = std::uint64_t{1} << 20;
/// Parts of weights smaller than this are looked for under their own names only. Rows of a small
/// matrix, such as a head for a few classes, say more than as many words of a vector.
constexpr std::uint64_t kFewWords = 1024;
constexpr std::uint64_t kFewWordsOfRows = 256;
/// Fewer words may lie near others by chance. So a weight is taken to grow at its end, unless they
/// are nearly the same ones elsewhere: at less than this share of what they cost alone.
constexpr std::uint64_t kTellingWords = 16;
constexpr double kNearlySame = 0.25;
/// A slice of a stack is found where it costs less than this share: of many, few are alike.
constexpr double kSameSlice = 0.9;

bool isFew(const VariantWeight& variant) noexcept {
  const bool isMatrix = variant.matrix.rows > 1 && variant.matrix.columns >= kMinAlignedLength;
  return variant.wordCount() < (isMatrix ? kFewWordsOfRows : kFewWords);
}

// Where `variantLines` lines could lie in `parentLines`, or these in those: at the front, at the
// end, or as one of equal parts.
std::vector<LineRun> possibleRuns(std::uint64_t variantLines, std::uint64_t parentLines) {
  std::vector<LineRun> runs;
  const std::uint64_t count = std::min(variantLines, parentLines);
  const std::uint64_t most = std::max(variantLines, parentLines);
  const auto add = [&](std::uint64_t at) {
    runs.push_back(variantLines >= parentLines ? LineRun{at, 0, count} : LineRun{0, at, count});
  };
  for (std::uint64_t part = 0; part < kMaxParts && (part + 1) * count <= most; ++part) {
    add(part * count);
  }
  if (most % count != 0) add(most - count);
  return runs;
}

/// Whether a run of few words is where it is by more than chance.
bool isBelievable(const LineRun& run, const PartMatch& part, const DeltaCost& cost,
                  const VariantWeight& variant) noexcept {
  const bool isFront = run.first == 0 && run.parentFirst == 0;
  return isFront || part.wordCount() >= kTellingWords ||
         cost.bitsPerWord < kNearlySame * variant.alone.bitsPerWord;
}

bool overlaps(const LineRun& a, const LineRun& b) noexcept {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace

SegmentMatcher::SegmentMatcher(const NameIndex& names, ParentSampler& sampler, bool allowCasts)
    : names_(names), sampler_(sampler), allowCasts_(allowCasts), readsBefore_(sampler.readCount()) {
  for (std::size_t i = 0; i < sampler.weightCount(); ++i) {
    const ParentWeight parent = sampler.weight(i);
    if (parent.wordCount() == 0) continue;
    const auto [rows, columns] = parent.matrix;
    byLineLength_[columns].push_back(i);
    if (rows != columns) byLineLength_[rows].push_back(i);
    if (rows > 1 && columns > 1) matrices_[parent.wordCount()].push_back(i);
  }
}

bool SegmentMatcher::exhausted() const noexcept {
  return sampler_.readCount() - readsBefore_ > kMaxReads || measureCount_ > kMaxMeasures;
}

// Parents with lines as long as the variant's; of few words, or once too many were looked at, only
// those of its name.
std::vector<std::size_t> SegmentMatcher::parentsFor(const VariantWeight& variant, Axis axis) {
  const auto found = byLineLength_.find(lineLength(variant, axis));
  if (found == byLineLength_.end()) return {};
  if (!isFew(variant) && pairCount_ + found->second.size() <= kMaxPairs) {
    pairCount_ += found->second.size();
    return found->second;
  }
  std::vector<std::size_t> named = names_.find(variant);
  std::erase_if(named, [&](std::size_t i) { return sampler_.similarity(variant, i) < kNamed; });
  return named;
}

std::vector<SegmentMatcher::NamedPair> SegmentMatcher::pairsFor(const VariantWeight& variant,
                                                                Axis axis) {
  std::vector<NamedPair> pairs;
  for (const std::size_t i : parentsFor(variant, axis)) {
    const ParentWeight parent = sampler_.weight(i);
    if (parent.wordCount() == 0 || !canServe(parent, variant, allowCasts_)) continue;
    const double similarity = sampler_.similarity(variant, i);
    for (const Axis parentAxis : {axis, axis == Axis::Rows ? Axis::Columns : Axis::Rows}) {
      const bool wholeRows = axis == Axis::Rows && parentAxis == Axis::Rows;
      if (!wholeRows && !(variant.splitsColumns && parent.splitsColumns)) continue;
      if (lineLength(variant, axis) != lineLength(parent, parentAxis)) continue;
      const bool vectors = variant.matrix.rows == 1 && parent.matrix.rows == 1;
      if (vectors && axis != parentAxis) continue;
      pairs.push_back({{i, axis, parentAxis}, similarity});
    }
  }
  // Likely ones first, before the reads are used up.
  std::stable_sort(pairs.begin(), pairs.end(), [](const NamedPair& a, const NamedPair& b) {
    return a.similarity > b.similarity;
  });
  return pairs;
}

Result<std::vector<SegmentMatcher::Segment>> SegmentMatcher::segmentsOf(
    const VariantWeight& variant, const NamedPair& named) {
  std::vector<Segment> segments;
  const auto& [pair, similarity] = named;
  const ParentWeight parent = sampler_.weight(pair.parent);
  const std::uint64_t lines = lineCount(variant, pair.axis);
  const std::uint64_t parentLines = lineCount(parent, pair.parentAxis);
  const std::uint64_t least = std::min(lines, parentLines);
  if (similarity < kNamed && std::max(lines, parentLines) / least > kMaxParts) return segments;
  for (const LineRun& run : possibleRuns(lines, parentLines)) {
    if (similarity < kNamed) {
      if (exhausted()) break;
      ++measureCount_;
    }
    PartMatch part = matchOf(variant, sampler_, pair, run);
    STRATA_TRY(const DeltaCost cost, sampler_.measure(variant, part));
    if (!pays(cost, variant, similarity) && !cost.mixed) continue;
    if (!isBelievable(run, part, cost, variant)) continue;
    part.bitsPerWord = cost.bitsPerWord;
    const double saved = variant.alone.bitsPerWord - cost.bitsPerWord;
    const double gain = saved * static_cast<double>(part.wordCount());
    segments.push_back({run, part, gain, cost.mixed});
  }
  return segments;
}

/// Whether the part's words are alike. Reads that find something are not counted.
Result<bool> SegmentMatcher::addIfStacked(const VariantWeight& variant, PartMatch part,
                                          std::vector<Segment>& segments) {
  const std::size_t before = sampler_.readCount();
  ++measureCount_;
  STRATA_TRY(const DeltaCost cost, sampler_.measure(variant, part));
  const double share = cost.bitsPerWord / variant.alone.bitsPerWord;
  if (share >= kSameSlice || !pays(cost, variant, 0)) return false;
  readsBefore_ += sampler_.readCount() - before;
  part.bitsPerWord = cost.bitsPerWord;
  const double saved = variant.alone.bitsPerWord - cost.bitsPerWord;
  const double gain = saved * static_cast<double>(part.wordCount());
  segments.push_back({{part.firstRow, 0, part.rowCount}, part, gain, false});
  return true;
}

/// Each row of the variant may be a whole matrix of the parent: most likely the one after that of
/// the row before.
Result<void> SegmentMatcher::addStackedParents(const VariantWeight& variant,
                                               std::vector<Segment>& segments) {
  const auto [rows, columns] = variant.matrix;
  const auto group = matrices_.find(columns);
  if (group == matrices_.end()) return {};
  std::vector<std::size_t> parents = group->second;
  std::erase_if(parents,
                [&](std::size_t i) { return !canServe(sampler_.weight(i), variant, allowCasts_); });
  std::size_t next = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::size_t tried = 0; tried < parents.size() && !exhausted(); ++tried) {
      const std::size_t at = (next + tried) % parents.size();
      const PartMatch part{{row, 1, 0, columns}, sampler_.rectangleOf(parents[at])};
      STRATA_TRY(const bool isFound, addIfStacked(variant, part, segments));
      if (!isFound) continue;
      next = at + 1;
      break;
    }
  }
  return {};
}

/// The variant may be one row of a parent, perhaps transposed: most likely the one after the row
/// that was found last.
Result<void> SegmentMatcher::addSliceOfStack(const VariantWeight& variant,
                                             std::vector<Segment>& segments) {
  const std::uint64_t words = variant.wordCount();
  const auto group = byLineLength_.find(words);
  if (group == byLineLength_.end()) return {};
  std::vector<std::pair<double, std::size_t>> stacks;
  for (const std::size_t i : group->second) {
    const ParentWeight parent = sampler_.weight(i);
    const bool isStack = parent.matrix.columns == words && parent.matrix.rows > 1;
    if (isStack && canServe(parent, variant, allowCasts_)) {
      stacks.emplace_back(-sampler_.similarity(variant, i), i);
    }
  }
  std::sort(stacks.begin(), stacks.end());
  for (const auto& [unlike, index] : stacks) {
    const ParentWeight parent = sampler_.weight(index);
    const std::uint64_t first = nextSlice_[index];
    const bool canTurn =
        variant.splitsColumns && parent.splitsColumns && variant.matrix.columns > 1;
    for (std::uint64_t tried = 0; tried < parent.matrix.rows && !exhausted(); ++tried) {
      const std::uint64_t row = (first + tried) % parent.matrix.rows;
      ParentRectangle slice = sampler_.rectangleOf(index);
      slice.offset += row * words * parent.format.bytes;
      STRATA_TRY(bool isFound, addIfStacked(variant, wholeMatch(variant, slice, false), segments));
      if (!isFound && canTurn) {
        STRATA_TRY(isFound, addIfStacked(variant, wholeMatch(variant, slice, true), segments));
      }
      if (!isFound) continue;
      nextSlice_[index] = row + 1;
      return {};
    }
  }
  return {};
}

Result<Plan> SegmentMatcher::bestCover(const VariantWeight& variant, Axis axis) {
  std::vector<Segment> segments;
  for (const NamedPair& pair : pairsFor(variant, axis)) {
    STRATA_TRY(const std::vector<Segment> found, segmentsOf(variant, pair));
    segments.insert(segments.end(), found.begin(), found.end());
  }
  if (axis == Axis::Rows && variant.matrix.rows > 1 && !isFew(variant)) {
    STRATA_TRY(addStackedParents(variant, segments));
    STRATA_TRY(addSliceOfStack(variant, segments));
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.gain > b.gain; });
  std::vector<Segment> chosen;
  for (const Segment& segment : segments) {
    if (segment.gain <= 0) continue;
    const bool taken = std::any_of(chosen.begin(), chosen.end(), [&](const Segment& other) {
      return overlaps(segment.run, other.run);
    });
    if (!taken) chosen.push_back(segment);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const Segment& a, const Segment& b) { return a.run.first < b.run.first; });
  Plan plan = planWithoutParent(variant);
  for (const Segment& segment : chosen) {
    addPart(plan, variant, segment.part);
    plan.mixed = plan.mixed || segment.mixed;
  }
  return plan;
}

Result<Plan> SegmentMatcher::align(const VariantWeight& variant, const LinePair& pair) {
  STRATA_TRY(const std::vector<LineRun> runs, alignLines(variant, pair, sampler_));
  Plan plan = planWithoutParent(variant);
  for (const LineRun& run : runs) {
    PartMatch part = matchOf(variant, sampler_, pair, run);
    STRATA_TRY(const DeltaCost cost, sampler_.measure(variant, part));
    // A run too short for samples was still compared line by line.
    const double bits = cost.sampleCount < 24 ? 0.7 * variant.alone.bitsPerWord : cost.bitsPerWord;
    if (bits >= variant.alone.bitsPerWord) continue;
    part.bitsPerWord = bits;
    addPart(plan, variant, part);
  }
  return plan;
}

Result<Plan> SegmentMatcher::improveByAlignment(const VariantWeight& variant, Plan known) {
  struct Chance {
    LinePair pair;
    double similarity = 0;
    std::uint64_t difference = 0;
  };
  std::vector<Chance> chances;
  for (const Axis axis : {Axis::Rows, Axis::Columns}) {
    const std::uint64_t lines = lineCount(variant, axis);
    if (lines < kMinAlignedLines || lineLength(variant, axis) < kMinAlignedLength) continue;
    for (const auto& [pair, similarity] : pairsFor(variant, axis)) {
      const ParentWeight parent = sampler_.weight(pair.parent);
      const std::uint64_t others = lineCount(parent, pair.parentAxis);
      if (others < kMinAlignedLines || others > 4 * lines || lines > 4 * others) continue;
      const bool inPlan = std::any_of(
          known.parts.begin(), known.parts.end(), [&pair = pair](const PartMatch& part) {
            return part.parent->tensor == pair.parent &&
                   part.parent->transposed == (pair.axis != pair.parentAxis);
          });
      chances.push_back(
          {pair, inPlan ? 2 : similarity, std::max(lines, others) - std::min(lines, others)});
    }
  }
  std::stable_sort(chances.begin(), chances.end(), [](const Chance& a, const Chance& b) {
    return std::pair(-a.similarity, a.difference) < std::pair(-b.similarity, b.difference);
  });
  if (chances.size() > kMaxAlignments) chances.resize(kMaxAlignments);
  for (const Chance& chance : chances) {
    if (chance.similarity < kNamed && exhausted()) break;
    STRATA_TRY(Plan plan, align(variant, chance.pair));
    if (plan.bits < kClearlyCheaper * known.bits) known = std::move(plan);
  }
  return known;
}

Result<Plan> SegmentMatcher::improve(const VariantWeight& variant, Plan known) {
  for (const Axis axis : {Axis::Rows, Axis::Columns}) {
    STRATA_TRY(Plan plan, bestCover(variant, axis));
    if (plan.bits < kClearlyCheaper * known.bits) known = std::move(plan);
  }
  std::uint64_t covered = 0;
  for (const PartMatch& part : known.parts) covered += part.wordCount();
  const bool mostlyCovered = covered >= variant.wordCount() - variant.wordCount() / 20;
  if (known.mixed || !mostlyCovered) return improveByAlignment(variant, std::move(known));
  return known;
}

}  // namespace strata::match
