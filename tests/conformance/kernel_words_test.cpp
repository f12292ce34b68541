// The kernels that turn words into differences and back: every set against the plain loops.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

using kernels::CpuKernels;
using kernels::DeltaFormat;
using kernels::FloatKind;

constexpr std::size_t kWords = 5003;

/// Kernels of one word size under one name.
template <typename Word>
struct Sized;
template <>
struct Sized<std::uint16_t> {
  static constexpr auto kClassify = &CpuKernels::classify16;
  static constexpr auto kApply = &CpuKernels::apply16;
  static constexpr auto kContexts = &CpuKernels::contexts16;
  static constexpr auto kSizes = &CpuKernels::sizes16;
};
template <>
struct Sized<std::uint32_t> {
  static constexpr auto kClassify = &CpuKernels::classify32;
  static constexpr auto kApply = &CpuKernels::apply32;
  static constexpr auto kContexts = &CpuKernels::contexts32;
  static constexpr auto kSizes = &CpuKernels::sizes32;
};

struct Classes {
  std::vector<std::uint8_t> symbols;
  std::vector<std::uint32_t> raw;
  friend bool operator==(const Classes&, const Classes&) = default;
};

template <typename Word>
Classes classesOf(const CpuKernels& set, const std::vector<Word>& parent,
                  const std::vector<Word>& words, std::size_t count, DeltaFormat format) {
  // One more on each side, to see that nothing else is written.
  Classes classes{std::vector<std::uint8_t>(count + 1, 0xaa),
                  std::vector<std::uint32_t>(count + 1, 0xaaaaaaaa)};
  (set.*Sized<Word>::kClassify)(parent.data(), words.data(), count, format,
                                {classes.symbols.data(), classes.raw.data()});
  return classes;
}

/// What docs/FORMAT.md, "Difference symbols", makes of a symbol and its raw bits.
std::uint32_t deltaOf(std::uint8_t symbol, std::uint32_t raw) {
  const unsigned bucket = symbol / 2;
  const unsigned bits = bucket < 4 ? 0 : bucket / 2 - 1;
  const std::uint32_t first = bucket < 2 ? bucket : (2U | (bucket & 1)) << bits;
  const std::uint32_t magnitude = first + raw;
  return symbol % 2 == 1 ? 0U - magnitude : magnitude;
}

template <typename Word>
void expectSymbolsAlone(const CpuKernels& set) {
  const auto parent = edgyWords<Word>(kWords, 1);
  const auto words = nearWords(parent, 3);
  for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
    for (const std::size_t count : kOddCounts) {
      std::vector<std::uint8_t> symbols(count + 1, 0xaa);
      (set.*Sized<Word>::kClassify)(parent.data(), words.data(), count, format,
                                    {symbols.data(), nullptr});
      ASSERT_EQ(symbols, classesOf(set, parent, words, count, format).symbols) << count;
    }
  }
}

TEST_P(EveryKernelSet, ClassifiesWithoutRawBitsAsWithThem) {
  expectSymbolsAlone<std::uint16_t>(set());
  expectSymbolsAlone<std::uint32_t>(set());
}

template <typename Word>
void expectSameClasses(const CpuKernels& set, const CpuKernels& plain) {
  const auto parent = edgyWords<Word>(kWords, 1);
  for (const auto& words : {edgyWords<Word>(kWords, 2), nearWords(parent, 3), parent}) {
    for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
      for (const std::size_t count : kOddCounts) {
        ASSERT_EQ(classesOf(set, parent, words, count, format),
                  classesOf(plain, parent, words, count, format))
            << count << " words, " << format.mantissaBits << " mantissa bits";
      }
    }
  }
}

TEST_P(EveryKernelSet, ClassifiesAsThePlainLoopsDo) {
  expectSameClasses<std::uint16_t>(set(), plain());
  expectSameClasses<std::uint32_t>(set(), plain());
}

template <typename Word>
void expectInverse(const CpuKernels& set, std::size_t alphabet) {
  const auto parent = edgyWords<Word>(kWords, 4);
  for (const auto& words : {edgyWords<Word>(kWords, 5), nearWords(parent, 6), parent}) {
    for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
      const Classes classes = classesOf(set, parent, words, kWords, format);
      std::vector<std::uint32_t> deltas(kWords);
      for (std::size_t i = 0; i < kWords; ++i) {
        ASSERT_LT(classes.symbols[i], alphabet)
            << std::hex << +parent[i] << " to " << +words[i] << ", xor " << format.isXor;
        deltas[i] = deltaOf(classes.symbols[i], classes.raw[i]);
      }
      std::vector<Word> back = parent;
      (set.*Sized<Word>::kApply)(back.data(), deltas.data(), kWords, format, back.data());
      ASSERT_EQ(back, words) << format.mantissaBits << " mantissa bits, xor " << format.isXor;
    }
  }
}

TEST_P(EveryKernelSet, AppliesWhatItClassified) {
  expectInverse<std::uint16_t>(set(), 64);
  expectInverse<std::uint32_t>(set(), 128);
}

template <typename Word>
void expectSameApplied(const CpuKernels& set, const CpuKernels& plain) {
  const auto parent = edgyWords<Word>(kWords, 7);
  const auto deltas = edgyWords<std::uint32_t>(kWords, 8);
  for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
    for (const std::size_t count : kOddCounts) {
      std::vector<Word> found(count + 1, Word{0x5a});
      std::vector<Word> expected = found;
      (set.*Sized<Word>::kApply)(parent.data(), deltas.data(), count, format, found.data());
      (plain.*Sized<Word>::kApply)(parent.data(), deltas.data(), count, format, expected.data());
      ASSERT_EQ(found, expected) << count << " words";
    }
  }
}

TEST_P(EveryKernelSet, AppliesAnyDifferenceAsThePlainLoopsDo) {
  expectSameApplied<std::uint16_t>(set(), plain());
  expectSameApplied<std::uint32_t>(set(), plain());
}

/// Exponents have at most eight bits in every format, also where low bits were dropped.
template <typename Word>
std::vector<Word> withNarrowExponents(std::vector<Word> words, DeltaFormat format) {
  const std::uint64_t magnitude = (std::uint64_t{1} << (format.mantissaBits + 8)) - 1;
  const std::uint64_t top = std::uint64_t{1} << (8 * sizeof(Word) - 1);
  if (!format.isFloat || magnitude >= top) return words;
  for (Word& word : words) word = static_cast<Word>(word & (magnitude | top));
  return words;
}

template <typename Word>
void expectSameContexts(const CpuKernels& set, const CpuKernels& plain) {
  const auto words = edgyWords<Word>(kWords, 9);
  std::mt19937 random(10);
  std::vector<std::int16_t> columns(kWords);
  for (auto& column : columns)
    column = static_cast<std::int16_t>(static_cast<int>(random() % 8001) - 4000);
  std::array<std::uint8_t, 64> map{};
  for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<std::uint8_t>(i * 37 % 61);
  const std::int16_t* none = nullptr;
  const std::int16_t* some = columns.data();
  for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
    const auto parent = withNarrowExponents(words, format);
    for (const int rowTerm : {-15000, -30, 0, 9, 262, 300, 15000}) {
      for (const std::size_t count : kOddCounts) {
        for (const std::int16_t* terms : {none, some}) {
          std::vector<std::uint8_t> found(count + 1, 0xaa);
          std::vector<std::uint8_t> expected = found;
          (set.*Sized<Word>::kContexts)(parent.data(), terms, rowTerm, count, format, map.data(),
                                        found.data());
          (plain.*Sized<Word>::kContexts)(parent.data(), terms, rowTerm, count, format, map.data(),
                                          expected.data());
          ASSERT_EQ(found, expected) << count << " words, row term " << rowTerm;
        }
      }
    }
  }
}

TEST_P(EveryKernelSet, FindsContextsAsThePlainLoopsDo) {
  expectSameContexts<std::uint16_t>(set(), plain());
  expectSameContexts<std::uint32_t>(set(), plain());
}

template <typename Word>
void expectSameSizes(const CpuKernels& set, const CpuKernels& plain) {
  const auto parent = edgyWords<Word>(kWords, 11);
  const auto words = nearWords(parent, 12);
  for (const DeltaFormat format : deltaFormats(8 * sizeof(Word))) {
    for (const std::size_t count : kOddCounts) {
      std::vector<float> found(count + 1, 0.125F);
      std::vector<float> expected = found;
      const float sum = (set.*Sized<Word>::kSizes)(parent.data(), words.data(), count, format, 0.3F,
                                                   found.data());
      const float plainSum = (plain.*Sized<Word>::kSizes)(parent.data(), words.data(), count,
                                                          format, 0.3F, expected.data());
      ASSERT_EQ(std::bit_cast<std::uint32_t>(sum), std::bit_cast<std::uint32_t>(plainSum));
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
      const float alone =
          (set.*Sized<Word>::kSizes)(parent.data(), words.data(), count, format, 0.0F, nullptr);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(alone), std::bit_cast<std::uint32_t>(plainSum));
    }
  }
}

TEST_P(EveryKernelSet, MeasuresSizesAsThePlainLoopsDo) {
  expectSameSizes<std::uint16_t>(set(), plain());
  expectSameSizes<std::uint32_t>(set(), plain());
}

TEST_P(EveryKernelSet, CountsChangesAsThePlainLoopsDo) {
  const auto narrow = edgyWords<std::uint16_t>(kWords, 21);
  const auto narrowNear = nearWords(narrow, 22);
  const auto wide = edgyWords<std::uint32_t>(kWords, 23);
  const auto wideNear = nearWords(wide, 24);
  for (const std::size_t count : kOddCounts) {
    ASSERT_EQ(set().countChanged16(narrow.data(), narrowNear.data(), count),
              plain().countChanged16(narrow.data(), narrowNear.data(), count));
    ASSERT_EQ(set().countChanged32(wide.data(), wideNear.data(), count),
              plain().countChanged32(wide.data(), wideNear.data(), count));
  }
  EXPECT_EQ(plain().countChanged16(narrow.data(), narrow.data(), kWords), 0U);
}

TEST_P(EveryKernelSet, SumsSquaresAsThePlainLoopsDo) {
  std::vector<float> parent(kWords);
  std::vector<float> words(kWords);
  for (std::size_t i = 0; i < kWords; ++i) {
    parent[i] = std::sin(static_cast<float>(i));
    words[i] = parent[i] + 0.25F;
  }
  for (const std::size_t count : kOddCounts) {
    const kernels::Squares found = set().squares(parent.data(), words.data(), count);
    const kernels::Squares expected = plain().squares(parent.data(), words.data(), count);
    ASSERT_EQ(found.difference, expected.difference) << count;
    ASSERT_EQ(found.parent, expected.parent) << count;
    ASSERT_NEAR(found.difference, 0.0625 * static_cast<double>(count), 1e-3) << count;
  }
  parent[5] = std::nanf("");
  const kernels::Squares holed = set().squares(parent.data(), words.data(), 16);
  EXPECT_NEAR(holed.difference, 0.0625 * 15, 1e-5);
}

std::vector<std::uint16_t> everyHalf() {
  std::vector<std::uint16_t> words(1 << 16);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i);
  return words;
}

TEST_P(EveryKernelSet, DecaysAsThePlainLoopsDo) {
  const auto halves = everyHalf();
  const auto singles = edgyWords<std::uint32_t>(1 << 16, 13);
  for (const float factor : {0.97F, 0.5F, 1.0000001F, -1.5F, 0.0F, 3e38F, 1e-40F}) {
    for (const FloatKind kind : {FloatKind::F16, FloatKind::BF16}) {
      for (const std::size_t count : {std::size_t{33}, halves.size()}) {
        std::vector<std::uint16_t> found(count + 1, 0x5a);
        std::vector<std::uint16_t> expected = found;
        set().decay16(halves.data(), factor, kind, count, found.data());
        plain().decay16(halves.data(), factor, kind, count, expected.data());
        ASSERT_EQ(found, expected) << factor;
      }
    }
    for (const std::size_t count : kOddCounts) {
      std::vector<std::uint32_t> found(count + 1, 0x5a);
      std::vector<std::uint32_t> expected = found;
      set().decay32(singles.data(), factor, count, found.data());
      plain().decay32(singles.data(), factor, count, expected.data());
      ASSERT_EQ(found, expected) << factor;
    }
  }
}

TEST_P(EveryKernelSet, KeepsWordsThatAreNoNumbersWhenItPredicts) {
  const auto halves = everyHalf();
  const std::vector<std::int32_t> sums(halves.size(), 7);
  for (const auto& [kind, infinity] :
       {std::pair{FloatKind::F16, 0x7c00}, std::pair{FloatKind::BF16, 0x7f80}}) {
    std::vector<std::uint16_t> decayed(halves.size());
    std::vector<std::uint16_t> moved(halves.size());
    set().decay16(halves.data(), 0.9F, kind, halves.size(), decayed.data());
    set().addScaled16(halves.data(), sums.data(), 0.5F, kind, halves.size(), moved.data());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      if ((halves[i] & 0x7fff) < infinity) continue;
      ASSERT_EQ(decayed[i], halves[i]);
      ASSERT_EQ(moved[i], halves[i]);
    }
  }
}

TEST_P(EveryKernelSet, AddsLowRankSumsAsThePlainLoopsDo) {
  const auto halves = everyHalf();
  const auto singles = edgyWords<std::uint32_t>(halves.size(), 14);
  std::mt19937 random(15);
  std::vector<std::int16_t> column(halves.size());
  for (auto& factor : column) factor = static_cast<std::int16_t>(random());
  std::vector<std::int32_t> sums(halves.size(), 3);
  std::vector<std::int32_t> plainSums = sums;
  for (const std::int32_t factor : {1, -1, 255, -17}) {
    set().accumulate(column.data(), factor, column.size() - 5, sums.data());
    plain().accumulate(column.data(), factor, column.size() - 5, plainSums.data());
    ASSERT_EQ(sums, plainSums);
  }
  for (const float scale : {0x1p-12F, 0x1p-30F, 0x1p90F}) {
    for (const FloatKind kind : {FloatKind::F16, FloatKind::BF16}) {
      std::vector<std::uint16_t> found(halves.size());
      std::vector<std::uint16_t> expected(halves.size());
      set().addScaled16(halves.data(), sums.data(), scale, kind, halves.size() - 3, found.data());
      plain().addScaled16(halves.data(), sums.data(), scale, kind, halves.size() - 3,
                          expected.data());
      ASSERT_EQ(found, expected) << scale;
    }
    std::vector<std::uint32_t> found(halves.size());
    std::vector<std::uint32_t> expected(halves.size());
    set().addScaled32(singles.data(), sums.data(), scale, singles.size() - 3, found.data());
    plain().addScaled32(singles.data(), sums.data(), scale, singles.size() - 3, expected.data());
    ASSERT_EQ(found, expected) << scale;
  }
}

TEST_P(EveryKernelSet, AddsWideSumsAsThePlainLoopsDo) {
  const auto parent = edgyWords<std::uint32_t>(kWords, 17);
  std::mt19937_64 random(18);
  std::vector<std::int32_t> column(kWords);
  for (auto& factor : column) factor = static_cast<std::int32_t>(random());
  std::vector<std::int64_t> sums(kWords, 3);
  std::vector<std::int64_t> plainSums = sums;
  for (const std::int32_t factor : {1, -1, 255, -(1 << 28), 2147483647, -2147483647 - 1}) {
    set().accumulateWide(column.data(), factor / 4, column.size() - 5, sums.data());
    plain().accumulateWide(column.data(), factor / 4, column.size() - 5, plainSums.data());
    ASSERT_EQ(sums, plainSums);
  }
  for (const double scale : {0x1p-60, 0x1p-120, 0x1p100}) {
    std::vector<std::uint32_t> found(kWords);
    std::vector<std::uint32_t> expected(kWords);
    set().addWide32(parent.data(), sums.data(), scale, kWords - 3, found.data());
    plain().addWide32(parent.data(), sums.data(), scale, kWords - 3, expected.data());
    ASSERT_EQ(found, expected) << scale;
    for (std::size_t i = 0; i + 3 < kWords; ++i) {
      const bool isNumber = (parent[i] & 0x7fffffff) < 0x7f800000;
      ASSERT_TRUE(isNumber || found[i] == parent[i]);
    }
  }
}

TEST_P(EveryKernelSet, AddsWideSumsToHalvesAsThePlainLoopsDo) {
  const auto parent = everyHalf();
  std::mt19937_64 random(19);
  std::vector<std::int64_t> sums(parent.size());
  for (auto& sum : sums) sum = static_cast<std::int64_t>(random()) >> 2;
  for (const auto& [kind, infinity] :
       {std::pair{FloatKind::F16, 0x7c00}, std::pair{FloatKind::BF16, 0x7f80}}) {
    for (const double scale : {0x1p-60, 0x1p-70, 0x1p-120, 0x1p100}) {
      std::vector<std::uint16_t> found(parent.size());
      std::vector<std::uint16_t> expected(parent.size());
      const std::size_t count = parent.size() - 3;
      set().addWide16(parent.data(), sums.data(), scale, kind, count, found.data());
      plain().addWide16(parent.data(), sums.data(), scale, kind, count, expected.data());
      ASSERT_EQ(found, expected) << scale;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE((parent[i] & 0x7fff) < infinity || found[i] == parent[i]);
      }
    }
  }
}

TEST_P(EveryKernelSet, SplitsAndJoinsPlanesAsThePlainLoopsDo) {
  const auto words = edgyWords<std::uint64_t>(kWords, 16);
  const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
  for (const std::size_t wordBytes : {1, 2, 4, 8}) {
    for (const bool rotate : {false, true}) {
      for (const std::size_t count : kOddCounts) {
        std::vector<std::uint8_t> found(8 * count);
        std::vector<std::uint8_t> expected(8 * count);
        std::array<std::uint8_t*, 8> to{};
        std::array<std::uint8_t*, 8> toPlain{};
        for (std::size_t p = 0; p < 8; ++p) to[p] = found.data() + p * count;
        for (std::size_t p = 0; p < 8; ++p) toPlain[p] = expected.data() + p * count;
        set().splitPlanes(bytes, wordBytes, count, rotate, to.data());
        plain().splitPlanes(bytes, wordBytes, count, rotate, toPlain.data());
        ASSERT_EQ(found, expected) << wordBytes << " bytes, " << count << " words";
        std::vector<std::uint64_t> back(count + 1);
        set().joinPlanes(to.data(), wordBytes, count, rotate,
                         reinterpret_cast<std::byte*>(back.data()));
        ASSERT_EQ(std::memcmp(back.data(), bytes, count * wordBytes), 0);
      }
    }
  }
}

TEST_P(EveryKernelSet, WidensAndNarrowsHalvesAsThePlainLoopsDo) {
  const auto halves = everyHalf();
  auto singles = edgyWords<std::uint32_t>(1 << 18, 18);
  for (std::size_t i = 0; i < (1 << 16); ++i) {
    // Every half with low bits on and around the middle of a step.
    for (std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U}) {
      singles.push_back(static_cast<std::uint32_t>(i) << 16 | low);
    }
    singles.push_back(0x38000000 + static_cast<std::uint32_t>(i) * 0x800);
  }
  std::vector<float> values(singles.size());
  std::memcpy(values.data(), singles.data(), singles.size() * sizeof(float));
  for (const FloatKind kind : {FloatKind::F16, FloatKind::BF16}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{37}, halves.size()}) {
      std::vector<float> found(count + 1);
      std::vector<float> expected(count + 1);
      set().widen16(halves.data(), kind, count, found.data());
      plain().widen16(halves.data(), kind, count, expected.data());
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
    }
    std::vector<std::uint16_t> found(values.size());
    std::vector<std::uint16_t> expected(values.size());
    set().narrow16(values.data(), kind, values.size() - 3, found.data());
    plain().narrow16(values.data(), kind, values.size() - 3, expected.data());
    ASSERT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Words, EveryKernelSet, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
