#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/result.h"

namespace strata {

/// How much squared errors of a part count: those of word (r, c) rows[r] * columns[c] times.
/// Positive numbers around 1, for all rows and columns or for none: then all count the same.
struct ErrorWeights {
  std::span<const float> rows = {};
  std::span<const float> columns = {};

  bool empty() const noexcept { return rows.empty(); }
  float of(std::uint64_t row, std::uint64_t column) const noexcept {
    return rows.empty() ? 1.0F : rows[row] * columns[column];
  }
};

class SingularCache;

/// Where decompositions of a part are kept, if anywhere.
struct KnownSingular {
  SingularCache* cache = nullptr;
  std::array<std::uint64_t, 3> part = {};  ///< which of the model it is
};

/// How the words of one part are quantized. Each codec reads the fields it documents; lengths are
/// in the units of the words' values.
struct LossySettings {
  double step = 0;                ///< `levels`: width of a step of the uniform grid
  unsigned levelCount = 0;        ///< `levels`, `index`: non-uniform levels; 0: uniform grid
  double deadZone = 0.25;         ///< `levels`: rounding offset, 0.5 rounds to nearest
  double gain = 1;                ///< `levels`: power of the unbiased projection's scale; 0: none
  unsigned patternLength = 256;   ///< `patterns`: words of a pattern, 8 to 4096; 0: no patterns
  unsigned patternBasesLog2 = 6;  ///< `patterns`: flips of signs tried, at most 12
  bool keepsRowSums = false;      ///< `patterns`: errors cancel out in each row
  unsigned rank = 0;              ///< low-rank stage: components at most; 0: none
  double factorStep = 1;    ///< low-rank stage: step of the factors, relative to the first's rms
  double pruneShare = 0;    ///< `levels`, `index`: share of words set to zero
  double protectShare = 0;  ///< `levels`, `index`: share of words kept as bf16
  /// `levels`: what core/quantize/joint_pruning.h prunes by; codecs see `pruneBelow` and
  /// `zeroApart`
  double pruneAlpha = 0;
  double pruneBeta = 0;
  /// `levels`: levels are the means of what has them (plain k-means), and no word above
  /// `pruneBelow` (not set: 0) becomes 0
  bool zeroApart = false;
  bool bySensitivity = false;            ///< prune by |gradient * word| instead of |word|
  std::optional<float> pruneBelow = {};  ///< `levels`, `index`: largest score to prune, for a share
  std::optional<float> protectAbove = {};  ///< `levels`, `index`: what larger words are protected
  std::optional<float> protectSensitivityAbove = {};  ///< `index`: least |gradient * word|
  std::uint64_t seed = 1;                             ///< of fitted levels
  bool uniformLevels = false;    ///< `index`: evenly spaced from least to largest, not fitted
  bool publishedEntropy = true;  ///< `index`: run lengths and Huffman codes; else rANS
  /// `exponent`, `huffman`: 2^bits - 1 buckets are kept; `moments`: how fine, 0 to 8; `rows`:
  /// 2^bits steps of a row, 2 to 8
  unsigned bits = 3;
  bool areSquares = false;                ///< `moments`: the words are second moments
  bool rowScales = false;                 ///< `sign`: a scale for each row instead of one
  double maxError = 0;                    ///< `bounded`: bound of |restored - original|
  std::span<const float> gradients = {};  ///< `index`: of the part's words, or empty
  /// `moments`: the second moments that first ones belong to, as f32; empty: none are known
  std::span<const std::byte> secondMoments = {};
  ErrorWeights weights = {};    ///< `levels`, `patterns`, low-rank stage
  KnownSingular singular = {};  ///< low-rank stage
};

/// A quantized part and what it decodes to.
struct LossyPart {
  std::vector<std::byte> payload;
  std::vector<std::byte> restored;  ///< as many bytes as the part's words
};

/// Whether words of this kind can be quantized: f32, f16 and bf16.
bool isQuantizable(const WordFormat& word) noexcept;

class DeviceQuantizer;

/// Whether a device can take steps of the codec (core/codec/lossy/quantizing_steps.h).
bool hasDeviceSteps(CodecId codec, const LossySettings& settings) noexcept;

/// Quantizes and codes a part against its decoded parent. The same bytes for the same input and
/// settings, on every machine. Where `device` is not null, it takes the
/// steps that it can.
///
/// Fails with InvalidArgument if the words are of no such kind, the parent is missing, a setting
/// is out of range, a word of either side is infinite or NaN, or one is an extreme that
/// core/codec/words/extreme_words.h tells of (such parts are stored exactly).
Result<LossyPart> encodeLossy(CodecId codec, const EncodeInput& input,
                              const LossySettings& settings, DeviceQuantizer* device = nullptr);

}  // namespace strata
