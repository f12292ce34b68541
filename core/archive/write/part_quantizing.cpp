#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/archive/detail/part_check.h"
#include "core/archive/write/part_encoder.h"
#include "core/archive/write/part_loss.h"
#include "core/codec/device/device_quantizer.h"
#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/words/extreme_words.h"
#include "core/codec/words/word_buffer.h"

namespace strata {
namespace {

PartPlan withoutCounterpart(PartPlan part) {
  part.counterpart.reset();
  return part;
}

/// The words with zeros in place of those that are not kept; nothing where `kept` is empty.
std::vector<std::byte> withoutPruned(const EncodeInput& input, std::span<const std::uint8_t> kept) {
  if (kept.empty()) return {};
  std::vector<std::byte> words(input.words.begin(), input.words.end());
  const std::size_t size = input.shape.word.bytes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0)
      std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(i * size), size, std::byte{});
  }
  return words;
}

}  // namespace

bool isRefusal(const Error& error) noexcept { return error.code == ErrorCode::InvalidArgument; }

float QuantizationError::relative() const noexcept {
  const bool isNew = changeSquares == 0;
  const double error = isNew ? newErrorSquares : errorSquares;
  const double change = isNew ? newSquares : changeSquares;
  return change == 0 ? 0 : static_cast<float>(std::sqrt(error / change));
}

Result<std::vector<std::byte>> PartEncoder::counterpartOf(const PartPlan& part) const {
  std::vector<std::byte> words;
  if (!part.counterpart) return words;
  words.resize(part.shape().byteCount());
  STRATA_TRY(
      gatherView(sourceOf(*part.counterpart), *part.counterpart, part.shape(), part.type, words));
  return words;
}

Result<std::optional<Change>> PartEncoder::changeToBase(const PartPlan& part,
                                                        std::span<const std::byte> words) const {
  if (!part.counterpart) return std::optional<Change>();
  STRATA_TRY(const auto theirs, counterpartOf(part));
  return std::optional<Change>(measureChange(part.type, theirs, words));
}

Result<QuantizationError> PartEncoder::lossOf(const PartPlan& part,
                                              std::span<const std::byte> restored) const {
  STRATA_TRY(const auto theirs, counterpartOf(part));
  const std::vector<std::byte> own = words(part);
  const EncodeInput input{part.shape(), own, theirs};
  const QuantizationError error = measureError(input, restored);
  // Numbers that are no weights would hide what the others lost.
  const bool isNumber =
      std::isfinite(error.changeSquares) && refuseExtremes(CodecId::Levels, input);
  if (part.counterpart && isNumber) return error;
  if (part.counterpart) return lossOf(withoutCounterpart(part), restored);
  return QuantizationError{.newErrorSquares = error.errorSquares,
                           .newSquares = error.changeSquares};
}

/// Moments are coded by themselves: what the parent keeps says little of them, and their error is
/// a share of their own size.
Result<EncodedPart> PartEncoder::quantizeMoments(const PartPlan& part,
                                                 const LossyChoice& choice) const {
  std::vector<std::uint8_t> kept;
  if (choice.keep) {
    // Before load(), since it reads other parts.
    kept.resize(part.shape().wordCount());
    STRATA_TRY(choice.keep(part, kept));
  }
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  STRATA_TRY(const Loaded loaded, load(part));
  const EncodeInput input{part.shape(), loaded.words, {}};
  LossySettings settings = choice.settings;
  std::vector<float> second;
  if (!choice.secondMoment.empty()) {
    const WordFormat word = wordFormat(choice.secondType);
    const PartShape shape{word, part.layout.rowCount, part.layout.columnCount};
    WordBuffer<std::byte> buffer;
    second = valuesOf(shape,
                      rowsOf(choice.secondMoment, part.layout, word.bytes, matrix.columns, buffer));
    settings.secondMoments = std::as_bytes(std::span(second));
  }
  std::vector<std::byte> pruned = withoutPruned(input, kept);
  const EncodeInput given{
      input.shape, choice.keep ? std::span<const std::byte>(pruned) : input.words, {}};
  STRATA_TRY(LossyPart lossy, encodeLossy(choice.codec, given, settings));
  const QuantizationError error = measureError(input, lossy.restored);
  EncodedPart out{
      .codec = choice.codec,
      .payload = std::move(lossy.payload),
      .ignoresParent = true,
      .restored = std::move(lossy.restored),
      .error = {.newErrorSquares = error.errorSquares, .newSquares = error.changeSquares}};
  if (part.view && !part.view->own) {
    STRATA_TRY(out.change, changeOf(part, loaded.input.parent, out.restored));
  }
  if (auto verified = checkDecodes(input, out.restored, out, {}); !verified) {
    return fail(verified.error().within("verifying tensor " + tensor.name));
  }
  return out;
}

Result<EncodedPart> PartEncoder::quantize(const PartPlan& part, const LossyChoice& choice) const {
  if (!choice.refusal.empty()) return fail(ErrorCode::InvalidArgument, choice.refusal);
  if (choice.codec == CodecId::Moments || choice.keep) return quantizeMoments(part, choice);
  const bool isAlone = !part.view || part.view->own;
  if (isAlone && part.counterpart && choice.codec == CodecId::Bounded) {
    PartPlan against = withoutCounterpart(part);
    against.view = *part.counterpart;
    STRATA_TRY(EncodedPart encoded, quantize(against, choice));
    encoded.usesCounterpart = true;
    return encoded;
  }
  STRATA_TRY(Loaded loaded, load(part));
  EncodeInput& input = loaded.input;
  const bool usesParent = !isAlone;
  LossyChoice used = choice;
  if (!usesParent) {
    if (choice.codec == CodecId::Bounded) {
      return fail(ErrorCode::InvalidArgument, "has no parent for the bound to hold against");
    }
    input.parent = {};
    used = choiceAlone(input);
  }
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  const std::vector<float> gradients = gradientsOf(used.gradients, part, matrix.columns);
  used.settings.gradients = gradients;
  used.settings.singular.part = {part.tensor, part.layout.firstRow, part.layout.firstColumn};
  used.settings.weights = weightsOf(used.settings.weights, part.layout);
  STRATA_TRY(LossyPart lossy, encodeLossyPart(used, input));
  EncodedPart out{.codec = used.codec,
                  .payload = std::move(lossy.payload),
                  .ignoresParent = !usesParent,
                  .restored = std::move(lossy.restored)};
  if (usesParent) {
    STRATA_TRY(out.change, changeOf(part, input.parent, out.restored));
  }
  if (usesParent) {
    out.error = measureError(input, out.restored);
  } else {
    STRATA_TRY(out.error, lossOf(part, out.restored));
  }
  if (usesParent && std::ranges::equal(out.restored, input.parent)) {
    out.codec = CodecId::Same;
    out.payload.clear();
    return out;
  }
  if (auto verified = checkDecodes(input, out.restored, out, {}); !verified) {
    return fail(verified.error().within("verifying tensor " + tensor.name));
  }
  return out;
}

Result<std::vector<std::byte>> PartEncoder::quantizedWords(const PartPlan& part,
                                                           const LossyChoice& choice) const {
  auto quantized = quantize(part, choice);
  if (quantized) return std::move(quantized->restored);
  if (!isRefusal(quantized.error())) return fail(std::move(quantized).error());
  return words(part);
}

Result<LossyPart> PartEncoder::encodeLossyPart(const LossyChoice& choice,
                                               const EncodeInput& input) const {
  DeviceQueues::Loan queue;
  if (queues_ != nullptr && hasDeviceSteps(choice.codec, choice.settings)) {
    STRATA_TRY(queue, queues_->lend());
  }
  std::optional<DeviceQuantizer> device;
  if (queue != nullptr) device.emplace(*queue);
  auto part = encodeLossy(choice.codec, input, choice.settings, device ? &*device : nullptr);
  if (device && device->fault() != kernels::DeviceFault::None) {
    STRATA_TRY(queues_->giveUp(kernels::describe(device->fault())));
  }
  return part;
}

}  // namespace strata
