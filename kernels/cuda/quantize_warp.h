#pragma once

// The steps that make levels of values (codecs `levels` and `index`): counting them in a sketch,
// fitting centres to its buckets and finding the nearest level of each. See rans_warp.h; the sums
// of the fit are those of core/codec/lossy/level_fit.cpp, in the same order.

#include "kernels/cuda/rans_warp.h"
#include "kernels/part_words.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// Counts values [first, end) in the slots of their sketch.
template <typename Warp>
STRATA_SHARED inline void sketchValues(Warp& warp, const std::byte* input, const DeviceSketch& work,
                                       std::uint32_t first, std::uint32_t end,
                                       std::uint32_t* counts) {
  const auto* const bins = arrayAt<SketchBin>(input, work.binsAt);
  const auto* const values = arrayAt<float>(input, work.valuesAt);
  warp.each([&](unsigned lane) {
    for (std::uint32_t i = first + lane; i < end; i += kMaxLanes) {
      warp.increment(counts[sketchSlot(bins, values[i])]);
    }
  });
}

/// Writes the number of the nearest level of values [first, end).
template <typename Warp>
STRATA_SHARED inline void nearestLevels(Warp& warp, const std::byte* input,
                                        const DeviceNearest& work, std::uint32_t first,
                                        std::uint32_t end, std::uint8_t* levels) {
  const auto* const edges = arrayAt<float>(input, work.edgesAt);
  const auto* const values = arrayAt<float>(input, work.valuesAt);
  warp.each([&](unsigned lane) {
    for (std::uint32_t i = first + lane; i < end; i += kMaxLanes) {
      std::uint32_t below = 0;
      for (std::uint32_t rest = work.edgeCount; rest > 0;) {
        const std::uint32_t half = rest / 2;
        const bool isBelow = edges[below + half] < values[i];
        below = isBelow ? below + half + 1 : below;
        rest = isBelow ? rest - half - 1 : half;
      }
      levels[i] = static_cast<std::uint8_t>(below);
    }
  });
}

/// Memory of one fit: see centresScratchBytes().
struct CentresScratch {
  double* distances;     ///< of each value to the nearest centre
  double* sums;          ///< one of each lane
  double* drawn;         ///< centres in the order of their draws
  std::uint32_t* ends;   ///< of clusters, numbers of values
  std::uint32_t* next;   ///< the same in the round that goes on
  std::uint32_t* found;  ///< the value that was drawn

  STRATA_SHARED CentresScratch(std::byte* memory, const DeviceCentres& work) noexcept
      : distances(reinterpret_cast<double*>(memory)),
        sums(distances + work.valueCount),
        drawn(sums + kMaxLanes),
        ends(reinterpret_cast<std::uint32_t*>(drawn + work.centreCount)),
        next(ends + work.centreCount),
        found(next + work.centreCount) {}
};

/// Calls f(i) for the run of `count` items that is this lane's.
template <typename F>
STRATA_SHARED inline void eachOfRun(unsigned lane, std::uint32_t count, F&& f) {
  const std::uint32_t length = (count + kMaxLanes - 1) / kMaxLanes;
  const std::uint32_t end = (lane + 1) * length < count ? (lane + 1) * length : count;
  for (std::uint32_t i = lane * length; i < end; ++i) f(i);
}

/// The item at which the running sum of share(i) passes `part` of the whole.
template <typename Warp, typename Share>
STRATA_SHARED inline std::uint32_t draw(Warp& warp, std::uint32_t count, double part, Share&& share,
                                        const CentresScratch& scratch) {
  warp.each([&](unsigned lane) {
    double sum = 0;
    eachOfRun(lane, count, [&](std::uint32_t i) { sum += share(i); });
    scratch.sums[lane] = sum;
  });
  double whole = 0;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) whole += scratch.sums[lane];
  const double wanted = part * whole;
  unsigned chosen = 0;
  double start = 0;
  double sum = 0;
  for (unsigned lane = 0; lane < kMaxLanes && sum <= wanted; ++lane) {
    if (scratch.sums[lane] > 0) {
      chosen = lane;
      start = sum;
    }
    sum += scratch.sums[lane];
  }
  warp.each([&](unsigned lane) {
    if (lane != chosen) return;
    double passed = start;
    *scratch.found = lane * ((count + kMaxLanes - 1) / kMaxLanes);
    eachOfRun(lane, count, [&](std::uint32_t i) {
      if (passed > wanted) return;
      if (share(i) > 0) *scratch.found = i;
      passed += share(i);
    });
  });
  return *scratch.found;
}

/// k-means++: ascending centres.
template <typename Warp>
STRATA_SHARED inline void seedCentres(Warp& warp, const std::byte* input, const DeviceCentres& work,
                                      const CentresScratch& scratch, double* centres) {
  const auto* const values = arrayAt<float>(input, work.valuesAt);
  const auto* const weights = arrayAt<double>(input, work.weightsAt);
  const auto* const draws = arrayAt<double>(input, work.drawsAt);
  for (std::uint32_t c = 0; c < work.centreCount; ++c) {
    const auto share = [&](std::uint32_t i) {
      return c == 0 ? weights[i] : scratch.distances[i] * weights[i];
    };
    const std::uint32_t at = draw(warp, work.valueCount, draws[c], share, scratch);
    const double centre = values[at];
    warp.each([&](unsigned lane) {
      if (lane == 0) scratch.drawn[c] = centre;
      eachOfRun(lane, work.valueCount, [&](std::uint32_t i) {
        const double change = values[i] - centre;
        const double distance = change < 0 ? -change : change;
        if (c == 0 || distance < scratch.distances[i]) scratch.distances[i] = distance;
      });
    });
  }
  warp.each([&](unsigned lane) {
    for (std::uint32_t c = lane; c < work.centreCount; c += kMaxLanes) {
      const double centre = scratch.drawn[c];
      std::uint32_t rank = 0;
      for (std::uint32_t i = 0; i < work.centreCount; ++i) {
        const double other = scratch.drawn[i];
        if (other < centre || (other == centre && i < c)) ++rank;
      }
      centres[rank] = centre;
    }
  });
}

/// How many of the ascending values are not above `edge`.
STRATA_SHARED inline std::uint32_t countUpTo(const float* values, std::uint32_t count,
                                             double edge) noexcept {
  std::uint32_t found = 0;
  while (count > 0) {
    const std::uint32_t half = count / 2;
    const bool isIn = values[found + half] <= edge;
    found = isIn ? found + half + 1 : found;
    count = isIn ? count - half - 1 : half;
  }
  return found;
}

/// Where the clusters of the centres end; whether that is as it was before.
template <typename Warp>
STRATA_SHARED inline bool findEnds(Warp& warp, const float* values, const DeviceCentres& work,
                                   const CentresScratch& scratch, const double* centres) {
  warp.each([&](unsigned lane) {
    for (std::uint32_t c = lane; c < work.centreCount; c += kMaxLanes) {
      scratch.next[c] = c + 1 == work.centreCount
                            ? work.valueCount
                            : countUpTo(values, work.valueCount, (centres[c] + centres[c + 1]) / 2);
    }
  });
  warp.each([&](unsigned lane) {
    for (std::uint32_t c = 1; lane == 0 && c < work.centreCount; ++c) {
      if (scratch.next[c] < scratch.next[c - 1]) scratch.next[c] = scratch.next[c - 1];
    }
  });
  const std::uint32_t moved = warp.ballot([&](unsigned lane) {
    bool isMoved = false;
    for (std::uint32_t c = lane; c < work.centreCount; c += kMaxLanes) {
      isMoved = isMoved || scratch.next[c] != scratch.ends[c];
    }
    return isMoved;
  });
  return moved == 0;
}

/// Fits the centres, one of the work's draws each, ascending; `memory` holds centresScratchBytes().
template <typename Warp>
STRATA_SHARED inline void fitCentres(Warp& warp, const std::byte* input, const DeviceCentres& work,
                                     std::byte* memory, double* centres) {
  const CentresScratch scratch(memory, work);
  const auto* const values = arrayAt<float>(input, work.valuesAt);
  const auto* const weights = arrayAt<double>(input, work.weightsAt);
  seedCentres(warp, input, work, scratch, centres);
  warp.each([&](unsigned lane) {
    for (std::uint32_t c = lane; c < work.centreCount; c += kMaxLanes) scratch.ends[c] = 0;
  });
  for (std::uint32_t round = 0; round < work.rounds; ++round) {
    if (findEnds(warp, values, work, scratch, centres)) return;
    warp.each([&](unsigned lane) {
      for (std::uint32_t c = lane; c < work.centreCount; c += kMaxLanes) {
        double weight = 0;
        double sum = 0;
        for (std::uint32_t i = c == 0 ? 0 : scratch.next[c - 1]; i < scratch.next[c]; ++i) {
          weight += weights[i];
          sum += weights[i] * values[i];
        }
        if (weight > 0) centres[c] = sum / weight;
        scratch.ends[c] = scratch.next[c];
      }
    });
  }
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
