#include "core/quantize/part_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace strata {
namespace {

/// Standard errors on either side of an estimate. Few parts tell little of how much all parts
/// differ, so two are not enough.
constexpr double kBand = 4;
/// Relative spread of parts of which no two were coded.
constexpr double kUnknownSpread = 0.25;
/// How many observations the spread over all strata counts for beside a stratum's own.
constexpr double kSharedObservations = 4;

/// The total of one figure over a model, stratum by stratum: each is a ratio to something known.
class RatioTotal {
 public:
  struct Observation {
    double figure;
    double size;  ///< what the figure grows with
  };

  /// A stratum of `parts` parts, `size` all together, of which some were observed.
  void add(std::vector<Observation> observed, std::size_t parts, double size) {
    double figures = 0;
    double sizes = 0;
    for (const Observation& one : observed) {
      figures += one.figure;
      sizes += one.size;
    }
    if (figures <= 0 || sizes <= 0) return;
    const double rest = observed.size() == parts ? 0 : figures / sizes * (size - sizes);
    total_ += figures / sizes * size;
    double squares = 0;
    for (const Observation& one : observed) {
      const double off = one.figure / figures - one.size / sizes;
      squares += off * off;
    }
    const auto n = static_cast<double>(observed.size());
    if (observed.size() == parts) return;
    // Relative to the mean figure of a part.
    const double relative = squares * n * n;
    sharedSquares_ += relative;
    sharedFreedom_ += n - 1;
    strata_.push_back({rest, relative, n, static_cast<double>(parts)});
  }

  double total() const noexcept { return total_; }
  double variance() const noexcept {
    const double shared =
        sharedFreedom_ > 0 ? sharedSquares_ / sharedFreedom_ : kUnknownSpread * kUnknownSpread;
    double sum = 0;
    for (const Stratum& s : strata_) {
      const double spread =
          (s.relative + kSharedObservations * shared) / (s.observed - 1 + kSharedObservations);
      // Of the mean of those not seen: the sample's error and their own scatter.
      sum += s.rest * s.rest * spread * (1 / s.observed + 1 / (s.parts - s.observed));
    }
    return sum;
  }

 private:
  struct Stratum {
    double rest;      ///< inferred
    double relative;  ///< sum of squared relative residuals of those observed
    double observed;
    double parts;
  };
  double total_ = 0;
  double sharedSquares_ = 0;
  double sharedFreedom_ = 0;
  std::vector<Stratum> strata_;
};

Estimated around(double value, double halfWidth) {
  return {value, std::max(0.0, value - halfWidth), value + halfWidth};
}

}  // namespace

PartSample::PartSample(std::vector<SampleCandidate> candidates, double bytes, std::uint64_t seed)
    : candidates_(std::move(candidates)) {
  double all = 0;
  double change = 0;
  for (const SampleCandidate& one : candidates_) {
    all += one.bytes;
    change += std::max(0.0, one.changeSquares);
  }
  std::map<std::string, std::vector<std::size_t>> byName;
  Stratum certain;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const SampleCandidate& one = candidates_[i];
    if (change > 0 && one.changeSquares / change >= one.bytes / bytes) {
      certain.parts.push_back(i);
    } else {
      byName[one.stratum].push_back(i);
    }
  }
  const std::size_t certainCount = certain.parts.size();
  choose(certain, certainCount, 0);
  strata_.push_back(std::move(certain));
  const double share = all <= 0 ? 1 : std::min(1.0, bytes / all);
  // Multiples of the golden ratio: every seed starts somewhere else.
  const double golden = 0.6180339887498949;
  const double start = std::fmod(static_cast<double>(seed % 1'000'000) * golden, 1.0);
  for (auto& [name, parts] : byName) {
    std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) {
      return candidates_[a].order < candidates_[b].order;
    });
    double stratumBytes = 0;
    for (const std::size_t part : parts) stratumBytes += candidates_[part].bytes;
    const auto count = static_cast<double>(parts.size());
    const double least = 2 * stratumBytes / count > bytes ? 1 : 2;
    const double wanted = std::max(least, std::ceil(share * count));
    Stratum stratum{std::move(parts), {}};
    choose(stratum, static_cast<std::size_t>(std::min(wanted, count)), start);
    strata_.push_back(std::move(stratum));
  }
  std::sort(chosen_.begin(), chosen_.end());
  for (Stratum& stratum : strata_) {
    for (std::size_t& part : stratum.sampled) {
      part = static_cast<std::size_t>(std::lower_bound(chosen_.begin(), chosen_.end(), part) -
                                      chosen_.begin());
    }
  }
}

void PartSample::choose(Stratum& stratum, std::size_t count, double start) {
  const auto n = static_cast<double>(stratum.parts.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + start) * n / static_cast<double>(count);
    const auto index = std::min(static_cast<std::size_t>(place), stratum.parts.size() - 1);
    stratum.sampled.push_back(stratum.parts[index]);
    chosen_.push_back(stratum.parts[index]);
  }
}

PartSample::Totals PartSample::extrapolate(std::span<const PartFigures> figures) const {
  RatioTotal payloads;
  RatioTotal errors;
  double changes = 0;
  for (const Stratum& stratum : strata_) {
    double bytes = 0;
    double size = 0;
    double known = 0;
    bool isKnown = true;
    for (const std::size_t part : stratum.parts) {
      bytes += candidates_[part].bytes;
      size += candidates_[part].wholeSize;
      known += candidates_[part].changeSquares;
      isKnown = isKnown && candidates_[part].changeSquares >= 0;
    }
    std::vector<RatioTotal::Observation> ofPayloads;
    std::vector<RatioTotal::Observation> ofErrors;
    double seenBytes = 0;
    double seenChange = 0;
    for (const std::size_t place : stratum.sampled) {
      const SampleCandidate& part = candidates_[chosen_[place]];
      ofPayloads.push_back({figures[place].payloadBytes, part.payloadSize});
      ofErrors.push_back({figures[place].errorSquares, isKnown ? part.changeSquares : part.bytes});
      seenBytes += part.bytes;
      seenChange += figures[place].changeSquares;
    }
    payloads.add(std::move(ofPayloads), stratum.parts.size(), size);
    errors.add(std::move(ofErrors), stratum.parts.size(), isKnown ? known : bytes);
    // Parts that are kept exact change nothing and count for nothing.
    if (seenChange <= 0) continue;
    const bool isWhole = stratum.sampled.size() == stratum.parts.size();
    const double inferred = isKnown ? known : seenChange * bytes / seenBytes;
    changes += isWhole ? seenChange : inferred;
  }
  Totals totals;
  totals.payloadBytes = around(payloads.total(), kBand * std::sqrt(payloads.variance()));
  if (changes > 0) {
    const double error = errors.total();
    const double half = kBand * std::sqrt(errors.variance());
    totals.relativeError = {std::sqrt(error / changes),
                            std::sqrt(std::max(0.0, error - half) / changes),
                            std::sqrt((error + half) / changes)};
  }
  return totals;
}

}  // namespace strata
