#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata {

/// A number that was not measured as a whole: where it is likely to be, and how far it may be off.
struct Estimated {
  double value = 0;
  double low = 0;   ///< holds the truth about nine times in ten; not below 0
  double high = 0;  ///< and above
};

/// How much of a model a sample takes.
struct SampleSize {
  std::uint64_t bytes = 16'000'000;  ///< of the model, about: parts are coded whole
  std::uint64_t seed = 1;            ///< another seed takes other parts
};

/// What quantizing a model with one set of settings would give, judged from some of its parts. Not
/// a measurement: `low` and `high` say how far it may be off.
struct SampledEstimate {
  struct Tensor {
    std::string name;
    double relativeError = 0;
  };

  Estimated storedBytes;    ///< packs and manifest
  Estimated relativeError;  ///< as QuantizedCandidate::relativeError
  std::size_t sampledTensors = 0;
  std::size_t tensorCount = 0;     ///< of the whole model
  std::uint64_t sampledBytes = 0;  ///< of the model, that were coded
  std::vector<Tensor> worst = {};  ///< of those sampled, the largest errors first; at most three
};

/// Whether what is lost is more than the whole difference: the parent itself is nearer to the
/// model.
inline bool isFurtherThanParent(double relativeError) noexcept {
  constexpr double kShown = 1.0005;  // errors are shown to three places
  return relativeError >= kShown;
}

}  // namespace strata
