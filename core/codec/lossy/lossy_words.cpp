#include "core/codec/lossy/lossy_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/codec/predict/predictor.h"
#include "core/codec/words/cast.h"

namespace strata {
namespace {

using kernels::FloatKind;

ElementType typeOf(FloatKind kind) noexcept {
  if (kind == FloatKind::F32) return ElementType::F32;
  return kind == FloatKind::F16 ? ElementType::F16 : ElementType::BF16;
}

template <typename Word>
bool isAligned(const std::byte* bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(bytes) % alignof(Word) == 0;
}

/// Whether no word has the highest exponent; 1 in the place of the lowest exponent bit makes those
/// that have it overflow into the sign.
template <typename Word>
bool areFinite(std::span<const std::byte> words, Word lowestExponent) noexcept {
  constexpr Word kSign = static_cast<Word>(~(static_cast<Word>(~Word{0}) >> 1));
  Word any = 0;
  for (std::size_t at = 0; at < words.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, words.data() + at, sizeof word);
    any |= static_cast<Word>((word & static_cast<Word>(~kSign)) + lowestExponent);
  }
  return (any & kSign) == 0;
}

bool areFinite(FloatKind kind, std::span<const std::byte> words) noexcept {
  if (kind == FloatKind::F32) return areFinite<std::uint32_t>(words, 1U << 23);
  return areFinite<std::uint16_t>(words, kind == FloatKind::F16 ? 1U << 10 : 1U << 7);
}

/// The number of the first value that is infinite or NaN; the count if there is none.
std::size_t firstNonFinite(std::span<const float> values) noexcept {
  if (areFinite(FloatKind::F32, std::as_bytes(values))) return values.size();
  const auto found =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  return static_cast<std::size_t>(found - values.begin());
}

Result<void> requireFinite(std::span<const float> values, std::string_view what) {
  const std::size_t at = firstNonFinite(values);
  if (at == values.size()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} {} is {}, expected a finite number", what, at, values[at]));
}

/// Calls `visit(first word, parent words, count, out words)` on pieces that are aligned copies.
template <typename Word, typename Visit>
void forEachPiece(std::span<const std::byte> parent, std::span<std::byte> out, Visit&& visit) {
  constexpr std::size_t kPiece = 1024;
  Word words[kPiece];
  for (std::size_t at = 0; at < out.size(); at += kPiece * sizeof(Word)) {
    const std::size_t bytes = std::min(kPiece * sizeof(Word), out.size() - at);
    std::memcpy(words, parent.data() + at, bytes);
    visit(at / sizeof(Word), words, bytes / sizeof(Word));
    std::memcpy(out.data() + at, words, bytes);
  }
}

}  // namespace

Result<PartValues> loadValues(const EncodeInput& input) {
  const auto kind = predictableKind(input.shape.word);
  if (!kind) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("words of {} bytes cannot be quantized, expected f32, f16 or bf16",
                            input.shape.word.bytes));
  }
  if (input.parent.size() != input.words.size()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("parent is {} bytes, expected {}",
                                                        input.parent.size(), input.words.size()));
  }
  const auto count = static_cast<std::size_t>(input.shape.wordCount());
  PartValues values{*kind, WordBuffer<float>(count), WordBuffer<float>(count)};
  widenWords(*kind, input.words, values.words.data());
  widenWords(*kind, input.parent, values.parent.data());
  STRATA_TRY(requireFinite(values.words, "word"));
  STRATA_TRY(requireFinite(values.parent, "parent word"));
  return values;
}

Result<WordBuffer<float>> differencesOf(const PartValues& values) {
  const std::span<const float> words = values.words;
  const std::span<const float> parent = values.parent;
  WordBuffer<float> differences(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) differences.data()[i] = words[i] - parent[i];
  STRATA_TRY(requireFinite(differences, "difference"));
  return differences;
}

Result<std::span<float>> differencesOf(const EncodeInput& input, WordBuffer<float>& buffer) {
  if (!predictableKind(input.shape.word)) {
    return fail(ErrorCode::InvalidArgument, "only f32, f16 and bf16 tensors can be quantized");
  }
  const FloatKind kind = *predictableKind(input.shape.word);
  const std::size_t wordBytes = input.shape.word.bytes;
  const std::span<float> values = buffer.first(input.shape.wordCount());
  float parent[kLossyChunkWords];
  for (std::size_t at = 0; at < values.size(); at += kLossyChunkWords) {
    const auto piece =
        values.subspan(at).first(std::min<std::size_t>(kLossyChunkWords, values.size() - at));
    const auto bytesOf = [&](std::span<const std::byte> words) {
      return words.subspan(at * wordBytes, piece.size() * wordBytes);
    };
    widenWords(kind, bytesOf(input.words), piece.data());
    if (!input.parent.empty()) {
      widenWords(kind, bytesOf(input.parent), parent);
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] -= parent[i];
    }
    const std::size_t bad = firstNonFinite(piece);
    if (bad == piece.size()) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("word {} or its parent's is no finite number", at + bad));
  }
  return values;
}

Result<void> requireFinite(const PartShape& shape, std::span<const std::byte> restored) {
  const FloatKind kind = *predictableKind(shape.word);
  if (areFinite(kind, restored)) return {};
  float values[kLossyChunkWords];
  for (std::size_t at = 0; at < restored.size(); at += kLossyChunkWords * shape.word.bytes) {
    const auto piece = restored.subspan(
        at, std::min<std::size_t>(kLossyChunkWords * shape.word.bytes, restored.size() - at));
    widenWords(kind, piece, values);
    const std::size_t count = piece.size() / shape.word.bytes;
    const std::size_t bad = firstNonFinite({values, count});
    if (bad != count) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("word {} would be restored as {}, expected a finite number",
                              at / shape.word.bytes + bad, values[bad]));
    }
  }
  return {};
}

void widenWords(FloatKind kind, std::span<const std::byte> words, float* out) noexcept {
  if (kind != FloatKind::F32 && isAligned<std::uint16_t>(words.data())) {
    kernels::bestKernels().widen16(reinterpret_cast<const std::uint16_t*>(words.data()), kind,
                                   words.size() / sizeof(std::uint16_t), out);
    return;
  }
  const std::size_t count = words.size() / (kind == FloatKind::F32 ? 4 : 2);
  castWords(typeOf(kind), words, ElementType::F32, std::as_writable_bytes(std::span(out, count)));
}

std::vector<float> valuesOf(const PartShape& shape, std::span<const std::byte> words) {
  std::vector<float> values(shape.wordCount(), 0.0F);
  widenWords(*predictableKind(shape.word), words, values.data());
  return values;
}

void narrowWords(FloatKind kind, std::span<const float> values, std::span<std::byte> out) noexcept {
  if (kind != FloatKind::F32 && isAligned<std::uint16_t>(out.data())) {
    kernels::bestKernels().narrow16(values.data(), kind, values.size(),
                                    reinterpret_cast<std::uint16_t*>(out.data()));
    return;
  }
  castWords(ElementType::F32, std::as_bytes(values), typeOf(kind), out);
}

void roundToKind(FloatKind kind, std::span<float> values) {
  std::vector<std::byte> words(values.size() * (kind == FloatKind::F32 ? 4 : 2));
  narrowWords(kind, values, words);
  widenWords(kind, words, values.data());
}

void addToParent(FloatKind kind, std::span<const std::byte> parent, std::span<const float> values,
                 std::span<std::byte> out) noexcept {
  const auto& k = kernels::bestKernels();
  if (kind == FloatKind::F32) {
    forEachPiece<std::uint32_t>(parent, out,
                                [&](std::size_t first, std::uint32_t* words, std::size_t n) {
                                  k.addValues32(words, values.data() + first, n, words);
                                });
  } else {
    forEachPiece<std::uint16_t>(parent, out,
                                [&](std::size_t first, std::uint16_t* words, std::size_t n) {
                                  k.addValues16(words, values.data() + first, kind, n, words);
                                });
  }
}

void addToParent(FloatKind kind, std::span<const std::byte> parent,
                 std::span<const std::int32_t> sums, float scale,
                 std::span<std::byte> out) noexcept {
  const auto& k = kernels::bestKernels();
  if (kind == FloatKind::F32) {
    forEachPiece<std::uint32_t>(parent, out,
                                [&](std::size_t first, std::uint32_t* words, std::size_t n) {
                                  k.addScaled32(words, sums.data() + first, scale, n, words);
                                });
  } else {
    forEachPiece<std::uint16_t>(parent, out,
                                [&](std::size_t first, std::uint16_t* words, std::size_t n) {
                                  k.addScaled16(words, sums.data() + first, scale, kind, n, words);
                                });
  }
}

}  // namespace strata
