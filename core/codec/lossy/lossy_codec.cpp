#include "core/codec/lossy/lossy_codec.h"

#include <fmt/format.h>

#include "core/codec/lossy/levels_codec.h"
#include "core/codec/lossy/moments_codec.h"
#include "core/codec/lossy/patterns_codec.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/published/bounded_codec.h"
#include "core/codec/published/exponent_codec.h"
#include "core/codec/published/index_codec.h"
#include "core/codec/published/rows_codec.h"
#include "core/codec/published/sign_codec.h"
#include "core/codec/words/extreme_words.h"

namespace strata {

bool isQuantizable(const WordFormat& word) noexcept { return predictableKind(word).has_value(); }

bool hasDeviceSteps(CodecId codec, const LossySettings& settings) noexcept {
  const bool isFitted = codec == CodecId::Levels && settings.levelCount != 0;
  return isFitted || codec == CodecId::Index || codec == CodecId::Patterns;
}

Result<LossyPart> encodeLossy(CodecId codec, const EncodeInput& input,
                              const LossySettings& settings, DeviceQuantizer* device) {
  if (codec == CodecId::Moments) {
    STRATA_TRY(refuseExtremes(codec, {input.shape, input.words, {}}));
    return encodeMoments(input, settings);
  }
  STRATA_TRY(refuseExtremes(codec, input));
  switch (codec) {
    case CodecId::Levels:
      return encodeLevels(input, settings, device);
    case CodecId::Patterns:
      return encodePatterns(input, settings, device);
    case CodecId::Exponent:
      return encodeExponent(input, settings);
    case CodecId::Huffman:
      return encodeExponentHuffman(input, settings);
    case CodecId::Rows:
      return encodeRows(input, settings);
    case CodecId::Sign:
      return encodeSign(input, settings);
    case CodecId::Bounded:
      return encodeBounded(input, settings);
    case CodecId::Index:
      return encodeIndex(input, settings, device);
    default:
      return fail(ErrorCode::InvalidArgument, fmt::format("codec {} is not lossy", name(codec)));
  }
}

}  // namespace strata
