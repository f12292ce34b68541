#include "core/codec/words/extreme_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"

namespace strata {
namespace {

constexpr float kMost = 0x1p52F;
constexpr float kLeast = 0x1p-100F;
/// Outliers are at least this large; what is smaller may be a weight.
constexpr float kLeastOutlier = 1024;
constexpr double kOutlierRatio = 4096;
/// What is less than this share of the largest value is one of the others.
constexpr float kOthersShare = 1.0F / 16;

/// Calls `visit(first, values)` for pieces of words - parent, or of words alone.
template <typename Visit>
void forEachPiece(const PartShape& shape, std::span<const std::byte> words,
                  std::span<const std::byte> parent, Visit&& visit) {
  const kernels::FloatKind kind = *predictableKind(shape.word);
  const std::size_t bytes = kLossyChunkWords * shape.word.bytes;
  float values[kLossyChunkWords];
  float theirs[kLossyChunkWords];
  for (std::size_t at = 0; at < words.size(); at += bytes) {
    const std::size_t n = std::min(bytes, words.size() - at);
    const std::size_t count = n / shape.word.bytes;
    widenWords(kind, words.subspan(at, n), values);
    if (!parent.empty()) {
      widenWords(kind, parent.subspan(at, n), theirs);
      for (std::size_t i = 0; i < count; ++i) values[i] -= theirs[i];
    }
    visit(at / shape.word.bytes, std::span<const float>(values, count));
  }
}

struct Largest {
  float value = 0;  ///< its magnitude
  std::size_t word = 0;
};

Largest largestOf(const PartShape& shape, std::span<const std::byte> words,
                  std::span<const std::byte> parent) {
  Largest largest;
  forEachPiece(shape, words, parent, [&](std::size_t first, std::span<const float> values) {
    float most = 0;
    for (const float value : values) most = std::max(most, std::fabs(value));
    if (!(most > largest.value)) return;
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](float value) { return std::fabs(value) == most; });
    largest = {most, first + static_cast<std::size_t>(found - values.begin())};
  });
  return largest;
}

/// Root mean square of the values that are neither 0 nor as large as `limit`; 0 without any.
double rmsOfOthers(const PartShape& shape, std::span<const std::byte> words,
                   std::span<const std::byte> parent, float limit) {
  double squares = 0;
  double count = 0;
  forEachPiece(shape, words, parent, [&](std::size_t, std::span<const float> values) {
    for (const float value : values) {
      if (value == 0 || !(std::fabs(value) < limit)) continue;
      squares += static_cast<double>(value) * value;
      count += 1;
    }
  });
  return count == 0 ? 0 : std::sqrt(squares / count);
}

Result<void> check(const PartShape& shape, std::span<const std::byte> words,
                   std::span<const std::byte> parent, bool takesOutliers, std::string_view what) {
  const Largest largest = largestOf(shape, words, parent);
  if (!std::isfinite(largest.value)) return {};
  if (largest.value >= kMost) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} {} is {:g} in size, expected less than {:g}", what, largest.word,
                            largest.value, kMost));
  }
  if (largest.value > 0 && largest.value < kLeast) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} {} is the largest with {:g}, expected at least {:g}", what,
                            largest.word, largest.value, kLeast));
  }
  if (takesOutliers || largest.value < kLeastOutlier) return {};
  const double others = rmsOfOthers(shape, words, parent, largest.value * kOthersShare);
  if (others == 0 || largest.value < kOutlierRatio * others) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} {} is {:g} in size, the others {:g}: steps for one would drown the "
                          "others",
                          what, largest.word, largest.value, others));
}

}  // namespace

Result<void> refuseExtremes(CodecId codec, const EncodeInput& input) {
  const PartShape& shape = input.shape;
  const bool isOdd = !input.parent.empty() && input.parent.size() != input.words.size();
  if (!predictableKind(shape.word) || isOdd) return {};
  const bool takesOutliers = codec == CodecId::Bounded;
  if (codec == CodecId::Rows) return check(shape, input.words, {}, takesOutliers, "word");
  if (codec != CodecId::Index) {
    return check(shape, input.words, input.parent, takesOutliers,
                 input.parent.empty() ? "word" : "difference");
  }
  STRATA_TRY(check(shape, input.words, {}, takesOutliers, "word"));
  return check(shape, input.parent, {}, takesOutliers, "parent word");
}

}  // namespace strata
