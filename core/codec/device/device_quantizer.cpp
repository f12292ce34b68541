#include "core/codec/device/device_quantizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/cpu_kernels.h"
#include "kernels/pattern_kernels.h"

namespace strata {
namespace {

using kernels::DeviceFault;

/// Values at the start and at the end of a part that the CPU sketches and assigns, too.
constexpr std::size_t kCheckedValues = 4096;
/// Runs that the CPU searches at the start of each block and at its end: as many as it takes at a
/// time.
constexpr std::size_t kCheckedRuns = kernels::kWalshBatch;

/// What the CPU looks at of a part.
struct CheckedRange {
  std::size_t first;
  std::size_t count;
};
std::array<CheckedRange, 2> checkedRanges(std::size_t values) {
  const std::size_t count = std::min(kCheckedValues, values);
  return {{{0, count}, {values - count, count}}};
}

template <typename T>
std::vector<T> outputOf(const kernels::DeviceQueue& queue, std::size_t count) {
  std::vector<T> out(count);
  std::memcpy(out.data(), queue.output().data(), count * sizeof(T));
  return out;
}

/// Whether every value was counted, and those at the ends where the CPU counts them.
bool agrees(std::span<const float> values, std::span<const std::uint32_t> counts) {
  if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != values.size())
    return false;
  for (const auto [first, count] : checkedRanges(values.size())) {
    std::vector<std::uint32_t> left(counts.begin(), counts.end());
    for (const float value : values.subspan(first, count)) {
      if (left[kernels::sketchSlot(LevelSketch::bins().data(), value)]-- == 0) return false;
    }
  }
  return true;
}

/// Whether centres may be those of these values.
bool agrees(const CentreSearch& search, std::span<const double> centres) {
  const double least = search.values.front();
  const double most = search.values.back();
  const double rounding = 1e-9 * std::max(std::abs(least), std::abs(most));
  const auto isIn = [&](double centre) {
    return centre >= least - rounding && centre <= most + rounding;
  };
  return std::ranges::is_sorted(centres) && std::ranges::all_of(centres, isIn);
}

/// Whether the CPU finds the same levels at the ends.
bool agrees(std::span<const float> values, std::span<const float> edges,
            std::span<const std::byte> found) {
  std::uint8_t expected[kCheckedValues];
  for (const auto [first, count] : checkedRanges(values.size())) {
    kernels::bestKernels().nearestLevels(values.data() + first, count, edges.data(), edges.size(),
                                         expected);
    if (std::memcmp(expected, found.data() + first, count) != 0) return false;
  }
  return true;
}

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

bool DeviceQuantizer::hold(std::span<const float> values) {
  if (fault_ != DeviceFault::None || values.size() < leastValues_) return false;
  if (values.data() == held_.data() && values.size() == held_.size()) {
    arrays_.rewind(held_.size_bytes());
    return true;
  }
  arrays_.rewind(0);
  arrays_.add(values);
  held_ = values;
  uploadedBytes_ = 0;
  return true;
}

template <typename Work>
bool DeviceQuantizer::run(DeviceFault (kernels::DeviceQueue::*pass)(const Work&), Work& work) {
  work.inputBytes = arrays_.size();
  work.keptBytes = uploadedBytes_;
  fault_ = arrays_.failed() ? DeviceFault::OutOfMemory : (queue_.*pass)(work);
  uploadedBytes_ = held_.size_bytes();
  return fault_ == DeviceFault::None;
}

bool DeviceQuantizer::isRight(bool agrees) noexcept {
  if (!agrees) fault_ = DeviceFault::Wrong;
  return agrees;
}

std::optional<LevelSketch> DeviceQuantizer::sketch(std::span<const float> values) {
  if (!hold(values)) return std::nullopt;
  kernels::DeviceSketch work;
  work.binsAt = arrays_.add(LevelSketch::bins());
  work.valueCount = static_cast<std::uint32_t>(values.size());
  work.slotCount = static_cast<std::uint32_t>(LevelSketch::slotCount());
  if (!run(&kernels::DeviceQueue::sketch, work)) return std::nullopt;
  const auto counts = outputOf<std::uint32_t>(queue_, work.slotCount);
  if (!isRight(agrees(values, counts))) return std::nullopt;
  LevelSketch sketch;
  sketch.add(counts);
  return sketch;
}

std::optional<std::vector<double>> DeviceQuantizer::centres(const CentreSearch& search) {
  if (!hold(held_)) return std::nullopt;
  kernels::DeviceCentres work;
  work.valuesAt = arrays_.add(std::span(search.values));
  work.weightsAt = arrays_.add(std::span(search.weights));
  work.drawsAt = arrays_.add(std::span(search.draws));
  work.valueCount = static_cast<std::uint32_t>(search.values.size());
  work.centreCount = static_cast<std::uint32_t>(search.draws.size());
  work.rounds = search.rounds;
  if (!run(&kernels::DeviceQueue::fit, work)) return std::nullopt;
  auto centres = outputOf<double>(queue_, work.centreCount);
  if (!isRight(agrees(search, centres))) return std::nullopt;
  return centres;
}

bool DeviceQuantizer::nearest(std::span<const float> values, std::span<const float> edges,
                              std::uint8_t* out) {
  if (!hold(values)) return false;
  kernels::DeviceNearest work;
  work.edgesAt = arrays_.add(edges);
  work.valueCount = static_cast<std::uint32_t>(values.size());
  work.edgeCount = static_cast<std::uint32_t>(edges.size());
  if (!run(&kernels::DeviceQueue::nearest, work)) return false;
  if (!isRight(agrees(values, edges, queue_.output()))) return false;
  std::memcpy(out, queue_.output().data(), values.size());
  return true;
}

std::optional<std::vector<PatternMatch>> DeviceQuantizer::patterns(const PatternSet& set,
                                                                   std::span<const float> values,
                                                                   std::size_t blockWords) {
  if (!hold(values)) return std::nullopt;
  kernels::DeviceSearch work;
  work.wordCount = static_cast<std::uint32_t>(values.size());
  work.blockWords = static_cast<std::uint32_t>(blockWords);
  work.length = set.length;
  work.lengthLog2 = set.lengthLog2();
  work.basesLog2 = set.basesLog2;
  if (!run(&kernels::DeviceQueue::search, work)) return std::nullopt;
  auto matches = outputOf<PatternMatch>(queue_, work.runCount());
  std::span<const PatternMatch> left = matches;
  for (std::size_t at = 0; at < values.size(); at += blockWords) {
    const auto block = values.subspan(at, std::min(blockWords, values.size() - at));
    const auto found = left.first(set.patternsIn(block.size()));
    left = left.subspan(found.size());
    if (!isRight(agreesAtEnds(set, block, found))) return std::nullopt;
  }
  return matches;
}

}  // namespace strata
