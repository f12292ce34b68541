#include "core/codec/pattern_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cpu_kernels.h"

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
      x_(entries_ * kernels::kPatternBatch) {}

void PatternSearch::append(std::span<const float> block, std::vector<PatternMatch>& out) {
  const std::uint64_t count = set_.patternsIn(block.size());
  for (std::uint64_t first = 0; first < count; first += kernels::kWalshBatch) {
    const std::size_t n = std::min<std::size_t>(kernels::kWalshBatch, count - first);
    const auto runs = block.subspan(first * set_.length);
    for (std::size_t r = 0; r < n; ++r) round(run(runs, r), r);
    interleave(n);
    kernels::bestKernels().walshSizes(interleaved_.data(), set_.lengthLog2(), flips_.data(),
                                      1U << set_.basesLog2, scratch_.data(), sizes_.data());
    findCandidates(n);
    out.resize(out.size() + n);
    decide(runs, std::span(out).last(n));
  }
}

std::span<const float> PatternSearch::run(std::span<const float> runs, std::size_t number) const {
  const std::size_t start = number * set_.length;
  return runs.subspan(start, std::min<std::size_t>(set_.length, runs.size() - start));
}

void PatternSearch::round(std::span<const float> values, std::size_t r) {
  constexpr std::size_t kSums = 8;
  float sums[kSums] = {};
  std::size_t at = 0;
  for (; at + kSums <= values.size(); at += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += std::fabs(values[at + j]);
  }
  for (std::size_t j = 0; at + j < values.size(); ++j) sums[j] += std::fabs(values[at + j]);
  const float sum = std::accumulate(sums, sums + kSums, 0.0F);
  // Rounding adds half a unit for each entry at most.
  const float most = 32766.0F - static_cast<float>(entries_) / 2;
  const float scale = sum > 0 && std::isfinite(most / sum) ? most / sum : 0;
  std::int16_t* const to = runs_.data() + r * entries_;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto rounded =
        static_cast<std::int32_t>(values[j] * scale + std::copysign(0.5F, values[j]));
    to[j] = static_cast<std::int16_t>(rounded);
  }
  std::fill(to + values.size(), to + entries_, std::int16_t{0});
}

void PatternSearch::interleave(std::size_t runs) {
  for (std::size_t j = 0; j < entries_; ++j) {
    std::int16_t* const to = interleaved_.data() + j * kernels::kWalshBatch;
    for (std::size_t r = 0; r < runs; ++r) to[r] = runs_[r * entries_ + j];
  }
}

void PatternSearch::findCandidates(std::size_t runs) {
  const std::uint32_t bases = 1U << set_.basesLog2;
  const int margin = 3 << (set_.lengthLog2() + 1) / 2;
  std::int16_t near[kernels::kWalshBatch] = {};  // the largest sizes, then what is near them
  for (std::uint32_t m = 0; m < bases; ++m) {
    const std::int16_t* sizes = sizes_.data() + m * kernels::kWalshBatch;
    for (std::size_t r = 0; r < kernels::kWalshBatch; ++r) near[r] = std::max(near[r], sizes[r]);
  }
  for (std::size_t r = 0; r < kernels::kWalshBatch; ++r) {
    const bool isSearched = r < runs && near[r] != 0;
    near[r] = isSearched ? static_cast<std::int16_t>(near[r] - margin) : INT16_MAX;
  }
  candidates_.clear();
  for (std::uint32_t m = 0; m < bases; ++m) {
    const std::int16_t* sizes = sizes_.data() + m * kernels::kWalshBatch;
    std::int16_t isAny = 0;  // of a batch, without branches
    for (std::size_t r = 0; r < kernels::kWalshBatch; ++r) {
      isAny = static_cast<std::int16_t>(isAny | (sizes[r] >= near[r] ? -1 : 0));
    }
    if (isAny == 0) continue;
    for (std::uint32_t r = 0; r < runs; ++r) {
      if (sizes[r] >= near[r]) candidates_.push_back({r, m});
    }
  }
}

void PatternSearch::decide(std::span<const float> runs, std::span<PatternMatch> matches) {
  for (std::size_t at = 0; at < candidates_.size(); at += kernels::kPatternBatch) {
    const auto batch = std::span(candidates_)
                           .subspan(at, std::min(kernels::kPatternBatch, candidates_.size() - at));
    for (std::size_t c = 0; c < batch.size(); ++c) load(run(runs, batch[c].run), batch[c].basis, c);
    float peaks[kernels::kPatternBatch];
    std::uint32_t functions[kernels::kPatternBatch];
    kernels::bestKernels().walshPeaks(x_.data(), set_.lengthLog2(), peaks, functions);
    for (std::size_t c = 0; c < batch.size(); ++c) {
      PatternMatch& match = matches[batch[c].run];
      if (std::fabs(peaks[c]) <= match.peak) continue;
      const std::uint32_t negative = peaks[c] < 0 ? 1U << (set_.bits() - 1) : 0;
      match = {std::fabs(peaks[c]), negative | batch[c].basis << set_.lengthLog2() | functions[c]};
    }
  }
}

void PatternSearch::load(std::span<const float> values, std::uint32_t basis, std::size_t c) {
  const std::int16_t* flips = flips_.data() + basis * entries_;
  float* const to = x_.data() + c;
  for (std::size_t j = 0; j < values.size(); ++j) {
    to[j * kernels::kPatternBatch] = values[j] * flips[j];
  }
  for (std::size_t j = values.size(); j < entries_; ++j) to[j * kernels::kPatternBatch] = 0;
}

}  // namespace strata
