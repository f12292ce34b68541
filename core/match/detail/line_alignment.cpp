#include "core/match/detail/line_alignment.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "core/checked_math.h"

namespace strata::match {
namespace {

constexpr std::uint64_t kSamplesPerLine = 24;
constexpr std::uint64_t kScreeningSamples = 5;
constexpr std::size_t kMaxBlocks = 96;
constexpr std::size_t kMaxSearches = 512;
constexpr std::uint64_t kScanSlack = 4096;
/// A line is like another if it costs less than this share of what it costs alone.
constexpr double kAlike = 0.85;
/// Lines of a run in a row that may differ: a few are often trained anew in place.
constexpr std::uint64_t kTolerated = 2;
constexpr std::uint64_t kMinRunLines = 4;
constexpr std::uint64_t kMaxBridged = 16;

/// Places along a line at which both sides are compared. Where the parent's lines are columns,
/// they are its rows that few blocks hold.
std::vector<std::uint64_t> placesAlong(const ParentWeight& parent, Axis axis) {
  const std::uint64_t length = lineLength(parent, axis);
  const std::uint64_t count = std::min(length, kSamplesPerLine);
  std::vector<std::uint64_t> places;
  if (axis == Axis::Rows) {
    for (std::uint64_t i = 0; i < count; ++i) places.push_back((2 * i + 1) * length / (2 * count));
    return places;
  }
  const std::uint64_t together =
      std::clamp<std::uint64_t>(kBlockWords / parent.matrix.columns, 1, count);
  const std::uint64_t groups = std::min<std::uint64_t>(ceilDivide(count, together), 12);
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint64_t first = group * length / groups;
    for (std::uint64_t i = 0; i < together && first + i < (group + 1) * length / groups; ++i) {
      places.push_back(first + i);
    }
  }
  return places;
}

class Aligner {
 public:
  Aligner(const VariantWeight& variant, const LinePair& pair, ParentSampler& sampler)
      : variant_(variant),
        parent_(sampler.weight(pair.parent)),
        pair_(pair),
        sampler_(sampler),
        places_(placesAlong(parent_, pair.parentAxis)) {}

  Result<std::vector<LineRun>> run() {
    STRATA_TRY(
        align({0, lineCount(variant_, pair_.axis), 0, lineCount(parent_, pair_.parentAxis)}));
    return tidied();
  }

 private:
  /// Lines [first, end) of the variant and [parentFirst, parentEnd) of the parent, not yet aligned.
  struct Gap {
    std::uint64_t first, end, parentFirst, parentEnd;
  };

  Result<void> align(Gap whole);
  Result<std::optional<std::uint64_t>> find(std::uint64_t parentLine, const Gap& gap);
  Result<LineRun> extend(std::uint64_t line, std::uint64_t parentLine, const Gap& gap);
  Result<std::uint64_t> reach(std::uint64_t line, std::uint64_t parentLine, std::uint64_t most,
                              bool forward);
  Result<bool> alikeNear(std::uint64_t line, std::uint64_t parentLine, std::uint64_t step,
                         std::uint64_t most, bool forward);
  Result<bool> load(std::uint64_t parentLine);
  bool alike(std::uint64_t line) const noexcept;
  Result<Word> parentWord(std::uint64_t index);
  std::vector<LineRun> tidied();

  bool exhausted() const noexcept {
    return blocks_.size() >= kMaxBlocks || searches_ >= kMaxSearches;
  }
  std::uint64_t variantIndex(std::uint64_t line, std::uint64_t place) const noexcept {
    return pair_.axis == Axis::Rows ? line * variant_.matrix.columns + place
                                    : place * variant_.matrix.columns + line;
  }

  const VariantWeight& variant_;
  const ParentWeight parent_;
  LinePair pair_;
  ParentSampler& sampler_;
  std::vector<std::uint64_t> places_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> blocks_;
  std::vector<Word> line_;  ///< the parent's line last loaded, at `places_`, as the variant's type
  std::uint64_t loadedLine_ = ~std::uint64_t{0};
  std::size_t searches_ = 0;
  std::vector<LineRun> runs_;
};

Result<Word> Aligner::parentWord(std::uint64_t index) {
  const std::uint64_t number = index / kBlockWords;
  auto block = blocks_.find(number);
  if (block == blocks_.end()) {
    STRATA_TRY(std::vector<std::byte> bytes, sampler_.readBlock(pair_.parent, number));
    block = blocks_.emplace(number, std::move(bytes)).first;
  }
  const Word word = loadWord(block->second, index % kBlockWords, parent_.format.bytes);
  return castWord(word, parent_.type, variant_.type);
}

Result<bool> Aligner::load(std::uint64_t parentLine) {
  if (parentLine == loadedLine_) return true;
  loadedLine_ = ~std::uint64_t{0};
  line_.clear();
  for (const std::uint64_t place : places_) {
    const std::uint64_t index = pair_.parentAxis == Axis::Rows
                                    ? parentLine * parent_.matrix.columns + place
                                    : place * parent_.matrix.columns + parentLine;
    STRATA_TRY(const Word word, parentWord(index));
    line_.push_back(word);
  }
  loadedLine_ = parentLine;
  return true;
}

// Whether line `line` of the variant looks tuned from the loaded line.
bool Aligner::alike(std::uint64_t line) const noexcept {
  constexpr double kClassBits = 2;
  const double limit = kAlike * variant_.alone.bitsPerWord - kClassBits;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < line_.size(); ++i) {
    bits += differenceBits(variant_.word(variantIndex(line, places_[i])), line_[i], variant_.format,
                           variant_.alone.zeroLowBits);
    if (i + 1 == kScreeningSamples &&
        static_cast<double>(bits) > (limit + kClassBits) * static_cast<double>(i + 1)) {
      return false;
    }
  }
  return static_cast<double>(bits) < limit * static_cast<double>(line_.size());
}

// The variant's line in `gap` that goes with `parentLine`: where the lines before or after the gap
// let one expect it, or else the nearest one to there.
Result<std::optional<std::uint64_t>> Aligner::find(std::uint64_t parentLine, const Gap& gap) {
  ++searches_;
  STRATA_TRY(load(parentLine));
  const auto expected = static_cast<std::int64_t>(gap.first + (parentLine - gap.parentFirst));
  const auto low = static_cast<std::int64_t>(gap.first);
  const auto high = static_cast<std::int64_t>(gap.end);
  const std::int64_t fromEnd = high - static_cast<std::int64_t>(gap.parentEnd - parentLine);
  const auto matches = [&](std::int64_t line) {
    return line >= low && line < high && alike(static_cast<std::uint64_t>(line));
  };
  const auto found = [](std::int64_t line) {
    return std::optional<std::uint64_t>(static_cast<std::uint64_t>(line));
  };
  if (matches(expected)) return found(expected);
  const auto radius = static_cast<std::int64_t>(kScanSlack) + std::abs(fromEnd - expected);
  for (std::int64_t distance = 0; distance <= radius; ++distance) {
    if (matches(fromEnd + distance)) return found(fromEnd + distance);
    if (matches(fromEnd - distance)) return found(fromEnd - distance);
    if (fromEnd - distance < low && fromEnd + distance >= high) break;
  }
  return std::optional<std::uint64_t>();
}

// Whether the lines `step` further on both sides go together, or one of the next few do.
Result<bool> Aligner::alikeNear(std::uint64_t line, std::uint64_t parentLine, std::uint64_t step,
                                std::uint64_t most, bool forward) {
  for (std::uint64_t i = step; i <= std::min(step + kTolerated, most); ++i) {
    STRATA_TRY(load(forward ? parentLine + i : parentLine - i));
    if (alike(forward ? line + i : line - i)) return true;
  }
  return false;
}

// How many lines further the run around a found pair goes, up to `most`.
Result<std::uint64_t> Aligner::reach(std::uint64_t line, std::uint64_t parentLine,
                                     std::uint64_t most, bool forward) {
  std::uint64_t good = 0;
  std::uint64_t bad = most + 1;
  // First a few looks over the whole way, as an insertion may be undone by a removal further on.
  for (const std::uint64_t step : {most / 4, most / 2, most - most / 4, most}) {
    if (step <= good) continue;
    STRATA_TRY(const bool goesOn, alikeNear(line, parentLine, step, most, forward));
    if (!goesOn) {
      bad = step;
      break;
    }
    good = step;
  }
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    STRATA_TRY(const bool goesOn, alikeNear(line, parentLine, middle, most, forward));
    (goesOn ? good : bad) = middle;
  }
  return good;
}

Result<LineRun> Aligner::extend(std::uint64_t line, std::uint64_t parentLine, const Gap& gap) {
  const std::uint64_t before = std::min(line - gap.first, parentLine - gap.parentFirst);
  const std::uint64_t after = std::min(gap.end - line, gap.parentEnd - parentLine) - 1;
  STRATA_TRY(const std::uint64_t back, reach(line, parentLine, before, false));
  STRATA_TRY(const std::uint64_t ahead, reach(line, parentLine, after, true));
  return LineRun{line - back, parentLine - back, back + ahead + 1};
}

Result<void> Aligner::align(Gap whole) {
  std::vector<Gap> gaps{whole};
  while (!gaps.empty() && !exhausted()) {
    const Gap gap = gaps.back();
    gaps.pop_back();
    if (gap.first >= gap.end || gap.parentFirst >= gap.parentEnd) continue;
    const std::uint64_t lines = gap.parentEnd - gap.parentFirst;
    for (const std::uint64_t at : std::array{lines / 2, lines / 4, lines - 1 - lines / 4}) {
      const std::uint64_t parentLine = gap.parentFirst + at;
      STRATA_TRY(const std::optional<std::uint64_t> line, find(parentLine, gap));
      if (!line) continue;
      STRATA_TRY(const LineRun run, extend(*line, parentLine, gap));
      runs_.push_back(run);
      gaps.push_back({run.first + run.count, gap.end, run.parentFirst + run.count, gap.parentEnd});
      gaps.push_back({gap.first, run.first, gap.parentFirst, run.parentFirst});
      break;
    }
  }
  return {};
}

// In order, joined across lines that changed in place, without crumbs.
std::vector<LineRun> Aligner::tidied() {
  std::sort(runs_.begin(), runs_.end(),
            [](const LineRun& a, const LineRun& b) { return a.first < b.first; });
  std::vector<LineRun> joined;
  for (const LineRun& run : runs_) {
    if (!joined.empty()) {
      LineRun& last = joined.back();
      const std::uint64_t gap = run.first - (last.first + last.count);
      if (gap <= kMaxBridged && run.parentFirst - (last.parentFirst + last.count) == gap) {
        last.count += gap + run.count;
        continue;
      }
    }
    joined.push_back(run);
  }
  std::erase_if(joined, [](const LineRun& run) { return run.count < kMinRunLines; });
  return joined;
}

}  // namespace

Result<std::vector<LineRun>> alignLines(const VariantWeight& variant, const LinePair& pair,
                                        ParentSampler& sampler) {
  return Aligner(variant, pair, sampler).run();
}

}  // namespace strata::match
