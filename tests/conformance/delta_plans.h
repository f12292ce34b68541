#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codec/exact/table_set.h"
#include "tests/support/part_samples.h"

namespace strata::test {

/// A difference payload that shows one feature of the format, and what it decodes with.
struct DeltaFeature {
  std::string name;
  CodecId codec = CodecId::Integer;
  PartSample sample;
  DeltaPlan plan;
  Bytes payload;
  SharedTables shared;

  Result<Bytes> decode(std::span<const std::byte> from) const {
    return decodeSample(codec, sample.shape, from, sample.parent, shared);
  }
};

/// Variants made so that the planner takes a certain feature.
PartSample decayedSample(ElementType type, std::uint64_t rows, std::uint64_t columns);
PartSample lowRankSample(ElementType type, std::uint64_t rows, std::uint64_t columns,
                         std::uint32_t rank, float strength);
/// What the words of that sample would be if the product were not rounded before it is added.
Bytes lowRankWordsUnrounded(ElementType type, std::uint64_t rows, std::uint64_t columns,
                            std::uint32_t rank, float strength);
PartSample unevenSample(ElementType type, std::uint64_t rows, std::uint64_t columns);
PartSample zeroLowBitsSample(std::uint64_t rows, std::uint64_t columns, unsigned bits);

DeltaFeature encodeFeature(std::string name, PartSample sample, const DeltaEffort& effort,
                           std::optional<CodecId> wish);

/// Small payloads that together have every field of a difference payload.
std::vector<DeltaFeature> everyDeltaFeature();

}  // namespace strata::test
