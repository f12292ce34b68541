#include "core/codec/device_pattern_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/codec/device_input.h"
#include "kernels/pattern_kernels.h"

namespace strata {
namespace {

using kernels::DeviceFault;

/// Runs that the CPU searches at the start of each block and at its end: as many as it takes at a
/// time.
constexpr std::size_t kCheckedRuns = kernels::kWalshBatch;

bool areSame(const PatternMatch& a, const PatternMatch& b) {
  return a.number == b.number &&
         std::bit_cast<std::uint32_t>(a.peak) == std::bit_cast<std::uint32_t>(b.peak);
}

/// Whether the CPU finds what was found at both ends of a block.
bool agreesAtEnds(const PatternSet& set, std::span<const float> block,
                  std::span<const PatternMatch> found) {
  PatternSearch search(set);
  const std::size_t checked = std::min(kCheckedRuns, found.size());
  for (const std::size_t first : {std::size_t{0}, found.size() - checked}) {
    const std::size_t start = first * set.length;
    const std::size_t words = std::min(checked * set.length, block.size() - start);
    std::vector<PatternMatch> expected;
    search.append(block.subspan(start, words), expected);
    if (!std::equal(expected.begin(), expected.end(), found.subspan(first).begin(), areSame)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<PatternMatch>> DevicePatternSearch::find(const PatternSet& set,
                                                                   std::span<const float> values,
                                                                   std::size_t blockWords) {
  if (fault_ != DeviceFault::None) return std::nullopt;
  DeviceInput input(queue_);
  kernels::DeviceSearch work;
  work.valuesAt = input.add(values);
  work.inputBytes = input.size();
  work.wordCount = static_cast<std::uint32_t>(values.size());
  work.blockWords = static_cast<std::uint32_t>(blockWords);
  work.length = set.length;
  work.lengthLog2 = set.lengthLog2();
  work.basesLog2 = set.basesLog2;
  fault_ = input.failed() ? DeviceFault::OutOfMemory : queue_.search(work);
  if (fault_ != DeviceFault::None) return std::nullopt;
  std::vector<PatternMatch> matches(work.runCount());
  std::memcpy(matches.data(), queue_.output().data(), queue_.output().size());
  std::span<const PatternMatch> left = matches;
  for (std::size_t at = 0; at < values.size(); at += blockWords) {
    const auto block = values.subspan(at, std::min(blockWords, values.size() - at));
    const auto found = left.first(set.patternsIn(block.size()));
    left = left.subspan(found.size());
    if (agreesAtEnds(set, block, found)) continue;
    fault_ = DeviceFault::Wrong;
    return std::nullopt;
  }
  return matches;
}

}  // namespace strata
