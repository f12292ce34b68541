#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct HistogramOptions {
  std::string reference = {};
  std::string tensor = {};  ///< its whole name
  std::size_t binCount = 25;
};

/// How numbers are distributed. Bins are equally wide and reach from `low` to `high`: four standard
/// deviations to either side of the mean, but no further than the numbers do.
struct Histogram {
  std::uint64_t count = 0;           ///< finite numbers
  std::uint64_t notFiniteCount = 0;  ///< NaN and infinities; in nothing below
  std::uint64_t zeroCount = 0;
  double min = 0, max = 0;
  double mean = 0;
  double deviation = 0;  ///< standard deviation
  double low = 0, high = 0;
  std::uint64_t belowCount = 0, aboveCount = 0;  ///< outside of the bins
  std::vector<std::uint64_t> bins;
};

struct HistogramReport {
  VersionEntry version;
  std::string parentLabel;  ///< empty for a base
  std::string tensor;
  std::string type;  ///< "f32"
  std::vector<std::uint64_t> shape;
  Histogram values;
  /// Of the difference to the parent's weight; nothing for a base and for words that are new.
  std::optional<Histogram> change;
  std::string parentTensor;  ///< the weight, or the first of several; empty without a change
};

/// The distribution of one tensor's values, and of what they differ from the parent's by. Reads the
/// tensor twice, in pieces.
/// Fails with NotFound (no such version or tensor), Unsupported (the type has no numbers),
/// CorruptData, Cancelled, Io.
Result<HistogramReport> tensorHistogram(const Store& store, const HistogramOptions& options,
                                        std::stop_token stop);

}  // namespace strata
