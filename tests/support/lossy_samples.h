#pragma once

#include <string>
#include <vector>

#include "core/codec/lossy/lossy_codec.h"
#include "tests/support/part_samples.h"

namespace strata::test {

/// A lossy codec, its settings and a kind of words.
struct LossyCase {
  CodecId codec;
  ElementType type;
  std::string variant;  ///< what the settings ask for
  LossySettings settings;
};

/// Every lossy codec of the registry with each word kind and settings that take each of its ways.
std::vector<LossyCase> everyLossyCase();

inline std::string nameOf(const LossyCase& c) {
  return std::string(name(c.codec)) + "_" + std::string(name(c.type)) + "_" + c.variant;
}

/// Normally distributed values around 0.
std::vector<float> normals(std::size_t count, double deviation, unsigned seed);

/// As makeSample, but words that came out as infinity or NaN are the parent's.
PartSample finiteSample(const PartShape& shape, Content content, unsigned seed);

/// Contents that go with it.
inline constexpr Content kFiniteContent[] = {Content::Constant, Content::EqualToParent,
                                             Content::FineTuned, Content::OnePercent};

/// Writes one file for each case and content: codec, type, rows, columns; parent; payload;
/// restored; each run of bytes behind its size. For tests/conformance/second_reader.py. False if it
/// cannot.
bool writeLossySamples(const std::string& folder);

}  // namespace strata::test
