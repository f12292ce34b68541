#pragma once

#include <memory>

#include "core/codec/codec.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/predict/predictor.h"

namespace strata {

/// What the search for a part's settings may spend.
struct DeltaEffort {
  bool searchDecay = true;
  bool searchTerms = true;     ///< else rows and columns are always taken, and `xor` is not tried
  bool searchAdapters = true;  ///< wide factors where a small sample says that they fit
  bool searchLowRank = false;
  bool searchPredictors = true;  ///< else decay is taken where it is found
  bool countAll = true;          ///< else tables are made from a sample of large parts
};

/// How one part is to be coded, and what is known of its symbols.
struct DeltaPlan {
  CodecId codec = CodecId::Integer;
  unsigned shift = 0;  ///< low bits that are zero in every word of the variant
  Predictor predictor;
  ScaleTerms terms;
  ContextCounts counts{0};
  TableSet tables;       ///< of its own, for these counts
  double tableBits = 0;  ///< that those take in the payload
  double sideBits = 0;   ///< predictor and terms

  /// Bits of the payload with tables of its own, checksums not counted.
  double estimatedBits = 0;
};

/// Symbols of one context's alphabet for words of so many bytes: 64 or 128.
std::size_t deltaAlphabet(const WordFormat& word) noexcept;
/// Words of 1, 2 and 4 bytes; 8-byte words are coded by `planes` on their difference.
bool deltaCodable(const WordFormat& word) noexcept;

/// Chooses predictor, terms and kind of difference for a part with a parent. `wish` limits the
/// choice to one codec.
DeltaPlan planDelta(const EncodeInput& input, const DeltaEffort& effort,
                    std::optional<CodecId> wish);

/// The counts of a plan that has lost them. `input` must be what the plan was made from, and all of
/// its words must have been counted then.
ContextCounts countDelta(const EncodeInput& input, const DeltaPlan& plan);

struct PlannedDelta {
  DeltaPlan plan;
  std::vector<std::byte> payload;
};

class DeviceEncoder;

/// Both in one go, with tables of its own: for parts that share none. `device` does what it can of
/// it, with the same bytes; null: the CPU does all.
PlannedDelta planAndEncodeDelta(const EncodeInput& input, const DeltaEffort& effort,
                                std::optional<CodecId> wish, DeviceEncoder* device = nullptr);

/// The same with a predictor that is known, and that may take further sources of the input. Words
/// of 4 bytes.
PlannedDelta encodeReplay(const EncodeInput& input, const DeltaEffort& effort,
                          std::optional<CodecId> wish, Predictor predictor);

/// The payload of a plan. With `shared`, its tables are those of number `sharedIndex`, else it
/// holds its own. `input` must be what the plan was made from.
std::vector<std::byte> encodeDelta(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex);

/// The predictor of an untrusted payload; nothing where it is damaged.
std::optional<Predictor> predictorOf(const PartShape& shape, std::span<const std::byte> payload);

/// See openPart().
Result<std::unique_ptr<PartDecoder>> openDelta(CodecId codec, const PartShape& shape,
                                               std::span<const std::byte> payload,
                                               std::size_t sourceCount, const SharedTables& shared);

}  // namespace strata
