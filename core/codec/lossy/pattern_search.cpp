#include "core/codec/lossy/pattern_search.h"

#include <algorithm>
#include <cmath>

#include "kernels/pattern_kernels.h"

namespace strata {
namespace {

/// The flips of all bases as factors ±1.
std::vector<std::int16_t> flipFactors(const PatternSet& set) {
  const std::size_t n = std::size_t{1} << set.lengthLog2();
  std::vector<std::int16_t> flips(n << set.basesLog2);
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const std::size_t j = i % n;
    flips[i] = (kernels::flipWord(i / n, j / 64) >> j % 64 & 1) != 0 ? -1 : 1;
  }
  return flips;
}

}  // namespace

PatternSearch::PatternSearch(const PatternSet& set)
    : set_(set),
      entries_(std::size_t{1} << set.lengthLog2()),
      flips_(flipFactors(set)),
      runs_(entries_ * kernels::kWalshBatch),
      interleaved_(runs_.size()),
      scratch_(runs_.size()),
      sizes_(kernels::kWalshBatch << set.basesLog2),
      candidates_(sizes_.size()),
      x_(entries_ * kernels::kPatternBatch) {}

void PatternSearch::append(std::span<const float> block, std::vector<PatternMatch>& out) {
  const std::uint64_t count = set_.patternsIn(block.size());
  for (std::uint64_t first = 0; first < count; first += kernels::kWalshBatch) {
    const std::size_t n = std::min<std::size_t>(kernels::kWalshBatch, count - first);
    const auto runs = block.subspan(first * set_.length);
    findCandidates(runs, n);
    out.resize(out.size() + n);
    decide(runs, std::span(out).last(n));
  }
}

std::span<const float> PatternSearch::run(std::span<const float> runs, std::size_t number) const {
  const std::size_t start = number * set_.length;
  return runs.subspan(start, std::min<std::size_t>(set_.length, runs.size() - start));
}

void PatternSearch::findCandidates(std::span<const float> runs, std::size_t count) {
  const kernels::PatternKernels& work = kernels::bestPatternKernels();
  const unsigned log2 = set_.lengthLog2();
  const std::uint32_t bases = 1U << set_.basesLog2;
  for (std::size_t r = 0; r < count; ++r) {
    const auto values = run(runs, r);
    work.roundRun(values.data(), values.size(), log2, runs_.data() + r * entries_);
  }
  work.interleave(runs_.data(), log2, interleaved_.data());
  work.walshSizes(interleaved_.data(), set_.length, log2, flips_.data(), bases, scratch_.data(),
                  sizes_.data());
  // The error of a sum of n rounded numbers has a spread of 0.29 sqrt(n): seven spreads of the
  // difference of two are 3 sqrt(n).
  const auto margin = static_cast<std::int16_t>(3 << (log2 + 1) / 2);
  candidates_.resize(sizes_.size());
  candidates_.resize(work.listNear(sizes_.data(), bases, count, margin, candidates_.data()));
}

void PatternSearch::decide(std::span<const float> runs, std::span<PatternMatch> matches) {
  const kernels::PatternKernels& work = kernels::bestPatternKernels();
  for (std::size_t at = 0; at < candidates_.size(); at += kernels::kPatternBatch) {
    const std::size_t count = std::min(kernels::kPatternBatch, candidates_.size() - at);
    const float* of[kernels::kPatternBatch];
    const std::int16_t* flips[kernels::kPatternBatch];
    for (std::size_t c = 0; c < kernels::kPatternBatch; ++c) {
      const kernels::FlippedRun candidate = candidates_[at + (c < count ? c : 0)];
      of[c] = padded(run(runs, candidate >> 16));
      flips[c] = flips_.data() + (candidate & 0xffff) * entries_;
    }
    work.loadFlipped(of, flips, set_.length, x_.data());
    std::fill(x_.begin() + static_cast<std::ptrdiff_t>(set_.length * kernels::kPatternBatch),
              x_.end(), 0.0F);
    float peaks[kernels::kPatternBatch];
    std::uint32_t functions[kernels::kPatternBatch];
    work.walshPeaks(x_.data(), set_.lengthLog2(), peaks, functions);
    for (std::size_t c = 0; c < count; ++c) {
      const kernels::FlippedRun candidate = candidates_[at + c];
      PatternMatch& match = matches[candidate >> 16];
      if (std::fabs(peaks[c]) <= match.peak) continue;
      const std::uint32_t negative = peaks[c] < 0 ? 1U << (set_.bits() - 1) : 0;
      const std::uint32_t basis = candidate & 0xffff;
      match = {std::fabs(peaks[c]), negative | basis << set_.lengthLog2() | functions[c]};
    }
  }
}

const float* PatternSearch::padded(std::span<const float> values) {
  if (values.size() == set_.length) return values.data();
  padded_.assign(set_.length, 0.0F);
  std::copy(values.begin(), values.end(), padded_.begin());
  return padded_.data();
}

}  // namespace strata
