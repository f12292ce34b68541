#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/quantize/estimate.h"

namespace strata {

/// A part that a sample may take, as far as it is known before anything is coded.
struct SampleCandidate {
  std::string stratum;       ///< parts that are alike have equal ones
  double bytes = 0;          ///< of the model
  double payloadSize = 0;    ///< what its payload grows with, in any unit
  double wholeSize = 0;      ///< the same of all that it stands for; payloadSize, if just itself
  double changeSquares = 0;  ///< what errors grow with; negative: not known, bytes stand in
  double order = 0;          ///< within a stratum; neighbours are alike
};

/// What coding one part gave.
struct PartFigures {
  double payloadBytes = 0;
  double errorSquares = 0;
  double changeSquares = 0;
};

/// A stratified sample of the parts of a model: some of each kind of part, spread evenly over the
/// stratum's order, and what follows from them for the whole.
class PartSample {
 public:
  /// Takes every part whose share of the whole change is at least its share of `bytes`: a few small
  /// tensors may hold most of it. Of the others the share of each stratum that makes `bytes` of
  /// all, but at least two parts, or one where two would be more than that. The same parts for the
  /// same `seed`.
  PartSample(std::vector<SampleCandidate> candidates, double bytes, std::uint64_t seed);

  /// Indices of the candidates that are to be coded, ascending.
  const std::vector<std::size_t>& chosen() const noexcept { return chosen_; }

  struct Totals {
    Estimated payloadBytes;
    Estimated relativeError;  ///< L2 norm of all errors / of all changes
  };
  /// `figures` are those of chosen(). Ratio estimates by stratum: payloads by their size,
  /// errors by the squares of the change. The band follows from how much the parts of a stratum
  /// differ from each other; a stratum with a single one borrows the spread of the others.
  Totals extrapolate(std::span<const PartFigures> figures) const;

 private:
  struct Stratum {
    std::vector<std::size_t> parts;    ///< candidates, in order
    std::vector<std::size_t> sampled;  ///< places in chosen_
  };
  void choose(Stratum& stratum, std::size_t count, double start);

  std::vector<SampleCandidate> candidates_;
  std::vector<Stratum> strata_;
  std::vector<std::size_t> chosen_;
};

}  // namespace strata
