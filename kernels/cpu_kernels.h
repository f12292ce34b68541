#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata::kernels {

/// Constants of the entropy coder (docs/FORMAT.md, "Entropy coder"): rANS with 32-bit states,
/// 16-bit renormalisation and static tables of 2^11 slots (J. Duda, arXiv 1311.2540; interleaved
/// as F. Giesen, arXiv 1402.3392).
inline constexpr unsigned kMaxLanes = 32;
inline constexpr unsigned kProbabilityBits = 11;
inline constexpr std::uint32_t kProbabilityScale = 1U << kProbabilityBits;
inline constexpr std::uint32_t kStateLow = 1U << 16;
inline constexpr unsigned kFusedRawBits = 5;  ///< raw bits that ride in the step of the symbol

/// A decoder between two calls. `lanes` is 32 or 4. Reads past `end` give zeros and move on, so
/// that `next != end` afterwards tells of a damaged block.
struct RansDecoder {
  std::uint32_t state[kMaxLanes];
  const std::uint16_t* next;  ///< little-endian words; may be unaligned
  const std::uint16_t* end;
  unsigned lanes;
};

/// One symbol's line in the encoder's table.
struct RansEncoderEntry {
  std::uint16_t frequency;  ///< of 2^11; 0 where the symbol cannot be coded
  std::uint16_t start;      ///< sum of the frequencies of the symbols before
  float reciprocal;         ///< 1 / frequency
};

/// Words that an encoder may touch below the first one it returns.
inline constexpr std::size_t kEncoderSlackWords = 16;

/// What one block of differences looks like before entropy coding.
struct DeltaCodes {
  std::uint8_t* symbols;
  std::uint32_t* raw;
};

/// A word as the difference coders see it: the sign in the top bit for floats, the exponent above
/// `mantissaBits` bits.
struct DeltaFormat {
  unsigned mantissaBits;
  bool isFloat;
  bool isXor;
};

/// What the signed levels of the codec `levels` stand for.
struct LevelValues {
  const float* values;  ///< of levels -most … most
  std::uint32_t most;
  bool isUniform;  ///< levels beyond are level * step; else bf16 words: |level| - most - 1, signed
  float step;
};

/// Float types that predictors and casts compute in.
enum class FloatKind : std::uint8_t { F32, F16, BF16 };

/// Sums over values: of (word - parent)^2 and of parent^2.
struct Squares {
  double difference;
  double parent;
};

/// The hot loops for one instruction set. A kernel checks nothing, allocates nothing and cannot
/// fail; the codec that calls it has checked every size. All sets give the same bits.
struct CpuKernels {
  const char* name;  ///< "scalar", "avx2", "avx512"

  /// Decodes `count` differences. `tables` holds one table of 2^11 entries per context, an entry
  /// being symbol << 22 | (frequency - 1) << 11 | (slot - start); `contexts[i]` names the table.
  /// out[i] is the difference modulo 2^32. `count` is a multiple of the lanes but for the last
  /// call.
  void (*decodeDeltas)(RansDecoder& decoder, const std::uint32_t* tables,
                       const std::uint8_t* contexts, std::size_t count,
                       std::uint32_t* out) noexcept;
  /// The same for plain symbols of one table.
  void (*decodeSymbols)(RansDecoder& decoder, const std::uint32_t* table, std::size_t count,
                        std::uint8_t* out) noexcept;
  /// Encodes differences backwards, writing words downwards from `wordsEnd`; returns the first word
  /// written. `entries` holds `alphabet` entries per context. At most three words are written per
  /// element, and kEncoderSlackWords below them must exist. A block may be given in pieces, the
  /// last one first: `states` are kStateLow before it and go on from piece to piece; `count` is a
  /// multiple of the lanes but for the first call. Null if a symbol has frequency 0.
  std::uint16_t* (*encodeDeltas)(const RansEncoderEntry* entries, std::size_t alphabet,
                                 const std::uint8_t* contexts, DeltaCodes codes, std::size_t count,
                                 unsigned lanes, std::uint32_t* states,
                                 std::uint16_t* wordsEnd) noexcept;
  /// The same for plain symbols of one table; at most one word per element.
  std::uint16_t* (*encodeSymbols)(const RansEncoderEntry* entries, const std::uint8_t* symbols,
                                  std::size_t count, unsigned lanes, std::uint32_t* states,
                                  std::uint16_t* wordsEnd) noexcept;

  /// Differences of `count` words as symbols and raw bits (docs/FORMAT.md, "Difference symbols").
  /// `out.raw` may be null.
  void (*classify16)(const std::uint16_t* parent, const std::uint16_t* words, std::size_t count,
                     DeltaFormat format, DeltaCodes out) noexcept;
  void (*classify32)(const std::uint32_t* parent, const std::uint32_t* words, std::size_t count,
                     DeltaFormat format, DeltaCodes out) noexcept;
  /// out[i] = parent[i] moved by deltas[i]. `out` may be `parent`.
  void (*apply16)(const std::uint16_t* parent, const std::uint32_t* deltas, std::size_t count,
                  DeltaFormat format, std::uint16_t* out) noexcept;
  void (*apply32)(const std::uint32_t* parent, const std::uint32_t* deltas, std::size_t count,
                  DeltaFormat format, std::uint32_t* out) noexcept;
  /// Context numbers of words in one row: map[clamp(rowTerm + columnTerms[i] - 2 * exponent, 1,
  /// 63)]; `columnTerms` may be null.
  void (*contexts16)(const std::uint16_t* parent, const std::int16_t* columnTerms, int rowTerm,
                     std::size_t count, DeltaFormat format, const std::uint8_t* map,
                     std::uint8_t* out) noexcept;
  void (*contexts32)(const std::uint32_t* parent, const std::int16_t* columnTerms, int rowTerm,
                     std::size_t count, DeltaFormat format, const std::uint8_t* map,
                     std::uint8_t* out) noexcept;
  /// Sizes of the differences in value units, |d| * 2^(exponent - 127): their sum over a row is
  /// returned (eight partial sums, added in order), and `columnSums[i]` grows by size *
  /// columnWeight.
  float (*sizes16)(const std::uint16_t* parent, const std::uint16_t* words, std::size_t count,
                   DeltaFormat format, float columnWeight, float* columnSums) noexcept;
  float (*sizes32)(const std::uint32_t* parent, const std::uint32_t* words, std::size_t count,
                   DeltaFormat format, float columnWeight, float* columnSums) noexcept;

  /// How many words differ.
  std::size_t (*countChanged16)(const std::uint16_t* parent, const std::uint16_t* words,
                                std::size_t count) noexcept;
  std::size_t (*countChanged32)(const std::uint32_t* parent, const std::uint32_t* words,
                                std::size_t count) noexcept;
  /// In sixteen partial sums each. Where one is not finite, one by one: what is not finite itself
  /// counts as zero.
  Squares (*squares)(const float* parent, const float* words, std::size_t count) noexcept;

  /// The values of f16 or bf16 words; NaN payloads move as they are.
  void (*widen16)(const std::uint16_t* words, FloatKind kind, std::size_t count,
                  float* out) noexcept;
  /// Rounds to nearest even; a NaN keeps its sign and the top of its payload, made quiet.
  void (*narrow16)(const float* values, FloatKind kind, std::size_t count,
                   std::uint16_t* out) noexcept;

  /// out[i] = round-to-nearest-even(parent[i] * factor) in the element type; the product is
  /// rounded once to f32. Decay predictor. `out` may be `parent`.
  void (*decay16)(const std::uint16_t* parent, float factor, FloatKind kind, std::size_t count,
                  std::uint16_t* out) noexcept;
  void (*decay32)(const std::uint32_t* parent, float factor, std::size_t count,
                  std::uint32_t* out) noexcept;

  /// sums[i] += factor * column[i]. Low-rank predictor.
  void (*accumulate)(const std::int16_t* column, std::int32_t factor, std::size_t count,
                     std::int32_t* sums) noexcept;
  /// out[i] = round-to-nearest-even(parent[i] + sums[i] * scale), the sum rounded once to f32;
  /// words that are no finite numbers stay. `out` may be `parent`.
  void (*addScaled16)(const std::uint16_t* parent, const std::int32_t* sums, float scale,
                      FloatKind kind, std::size_t count, std::uint16_t* out) noexcept;
  void (*addScaled32)(const std::uint32_t* parent, const std::int32_t* sums, float scale,
                      std::size_t count, std::uint32_t* out) noexcept;
  /// sums[i] += factor * column[i]. Wide low-rank predictor; its callers keep sums below 2^62.
  void (*accumulateWide)(const std::int32_t* column, std::int32_t factor, std::size_t count,
                         std::int64_t* sums) noexcept;
  /// out[i] = parent[i] + sums[i] * scale, a power of two: sums rounded to f64, added in f64, then
  /// rounded to f32 and from there to the element type; words that are no finite numbers stay.
  /// `out` may be `parent`.
  void (*addWide16)(const std::uint16_t* parent, const std::int64_t* sums, double scale,
                    FloatKind kind, std::size_t count, std::uint16_t* out) noexcept;
  void (*addWide32)(const std::uint32_t* parent, const std::int64_t* sums, double scale,
                    std::size_t count, std::uint32_t* out) noexcept;
  /// The same with out[i] = round-to-nearest-even(parent[i] + values[i]).
  void (*addValues16)(const std::uint16_t* parent, const float* values, FloatKind kind,
                      std::size_t count, std::uint16_t* out) noexcept;
  void (*addValues32)(const std::uint32_t* parent, const float* values, std::size_t count,
                      std::uint32_t* out) noexcept;
  /// out[i] = number of edges below values[i]: the nearest of edgeCount + 1 levels whose neighbours
  /// meet at ascending `edges`. At most 255 edges; 0 for a NaN.
  void (*nearestLevels)(const float* values, std::size_t count, const float* edges,
                        std::size_t edgeCount, std::uint8_t* out) noexcept;

  /// values[i] += bit i of signs ? -amplitude : amplitude. Codec `patterns`.
  void (*addSigns)(float* values, const std::uint64_t* signs, float amplitude,
                   std::size_t count) noexcept;
  /// values[i] += what levels[i], a signed number, stands for. Codec `levels`.
  void (*addLevels)(float* values, const std::uint32_t* levels, const LevelValues& table,
                    std::size_t count) noexcept;

  /// XXH3, 64 bits, seed 0.
  std::uint64_t (*xxh3)(const std::byte* bytes, std::size_t count) noexcept;

  /// Byte planes of words rotated left by one bit, so that the exponent fills the top byte:
  /// planes[p][i] is byte p of word i. `rotate` is false for integers.
  void (*splitPlanes)(const std::byte* words, std::size_t wordBytes, std::size_t count, bool rotate,
                      std::uint8_t* const* planes) noexcept;
  void (*joinPlanes)(const std::uint8_t* const* planes, std::size_t wordBytes, std::size_t count,
                     bool rotate, std::byte* words) noexcept;
};

/// Plain loops; the reference.
const CpuKernels& scalarKernels() noexcept;
/// Usable on this CPU, slowest first.
std::span<const CpuKernels* const> usableKernels() noexcept;
/// Chosen once; the environment's STRATA_KERNELS names another set.
const CpuKernels& bestKernels() noexcept;

}  // namespace strata::kernels
