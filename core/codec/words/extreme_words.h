#pragma once

#include <span>

#include "core/codec/codec.h"
#include "core/result.h"

namespace strata {

/// What lossy codecs leave to the exact ones. Numbers that are no weights, such as the lowest float
/// of an attention mask, lie so far from the others that steps for them would drown those; and
/// their squares, which all fitting uses, leave the floats.
///
/// Fails with InvalidArgument, naming the word, if
/// - a value is 2^52 or more, or all are below 2^-100 without being 0,
/// - a value is 1024 or more, and 4096 times the root mean square of the values below a sixteenth
///   of it that are not 0. `bounded` takes those: its bound holds for each word.
/// Values are the differences to the parent; the words of both sides for `index`, which fits levels
/// to them; the words for `rows`. Parts that the codec refuses anyway pass: words of other types,
/// infinities, NaNs.
Result<void> refuseExtremes(CodecId codec, const EncodeInput& input);

}  // namespace strata
