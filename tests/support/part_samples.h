#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/exact/delta_codec.h"

namespace strata::test {

using Bytes = std::vector<std::byte>;

/// What the words of a part are to their parent's.
enum class Content {
  Random,         ///< both sides random bits
  Constant,       ///< one word all over; the parent random
  EqualToParent,  ///< no change
  FineTuned,      ///< every word moved by a little
  OnePercent,     ///< one word in a hundred moved
  Specials,       ///< NaNs, infinities, zeros of both signs, denormals, largest and smallest words
  SignsFlipped,   ///< the parent's words with random top bits
};
inline constexpr Content kEveryContent[] = {
    Content::Random,     Content::Constant, Content::EqualToParent, Content::FineTuned,
    Content::OnePercent, Content::Specials, Content::SignsFlipped};

std::string nameOf(Content content);

/// A part and its parent, both in memory.
struct PartSample {
  PartShape shape;
  Bytes words;
  Bytes parent;

  EncodeInput input() const { return {shape, words, parent}; }
  EncodeInput alone() const { return {shape, words, {}}; }
};

PartSample makeSample(const PartShape& shape, Content content, unsigned seed);

/// One type for each way that words can look to the codecs.
std::vector<ElementType> typesOfEveryWordFormat();

/// A payload of `codec`; nothing where the codec does not take such a part. A difference is coded
/// where the input has a parent and the codec can.
std::optional<Bytes> encodeSample(CodecId codec, const EncodeInput& input);

/// Decodes all blocks. `further`: the words of each source beside the parent.
Result<Bytes> decodeSample(CodecId codec, const PartShape& shape,
                           std::span<const std::byte> payload, std::span<const std::byte> parent,
                           const SharedTables& shared = {}, std::span<const Bytes> further = {});

/// Words from values, rounded to `type`: f32, f16 or bf16.
Bytes wordsOf(const std::vector<float>& values, ElementType type);
/// And back.
std::vector<float> valuesOf(std::span<const std::byte> words, ElementType type);

/// The word at `index`, widened.
std::uint64_t wordAt(std::span<const std::byte> words, std::size_t wordBytes, std::size_t index);
void setWord(std::span<std::byte> words, std::size_t wordBytes, std::size_t index,
             std::uint64_t word);

/// Bits of entropy of `count` events in the given shares of them.
double entropyOf(const std::vector<double>& counts);

/// Whether two runs of bytes are the same; if not, says where they part.
::testing::AssertionResult sameBytes(std::span<const std::byte> found,
                                     std::span<const std::byte> expected);

}  // namespace strata::test
