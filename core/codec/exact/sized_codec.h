#pragma once

#include <optional>

#include "core/codec/codec.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/predict/predictor.h"

namespace strata {

/// How a part is coded by the sizes of its rows and columns alone: what an optimizer keeps of
/// gradients is new in every snapshot, and what is known of a word is about how large it is, and
/// what its matrix has in common. Rows that no gradient has reached are what decay has left of the
/// parent's.
struct SizedPlan {
  bool isSigned = false;  ///< words of both signs: all words' signs then lie below their other bits
  DecayedRows decay = {};
  LowRankFactors factors = {};  ///< what rows that do not decay are about; of rank 0: nothing
  ScaleTerms terms;  ///< sizes of their words, or of what is left, in half octaves of exponents
  /// Bits of the payload, about; from a sample of the words.
  double estimatedBits = 0;
};

/// Words that are coded so: f32, f16 and bf16.
bool sizedCodable(const WordFormat& word) noexcept;

/// With the rows that have a factor in `decay`. Only for words that are sizedCodable().
SizedPlan planSized(const EncodeInput& input, DecayedRows decay = {});
/// Rows of which the parent's words, decayed, say more than the sizes of rows and columns do; no
/// factors where there are none.
DecayedRows findDecayingRows(const EncodeInput& input);
/// `input` must be what the plan was made from.
std::vector<std::byte> encodeSized(const EncodeInput& input, const SizedPlan& plan);

/// See openPart().
Result<std::unique_ptr<PartDecoder>> openSized(const PartShape& shape,
                                               std::span<const std::byte> payload, bool hasParent);

}  // namespace strata
