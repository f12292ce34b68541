// The codings of a PartEncoder that are tried on moments of optimizers alone.
#include <utility>

#include "core/archive/write/part_encoder.h"
#include "core/codec/exact/sized_codec.h"

namespace strata {
namespace {

/// Fewer words are not tried by the sizes of rows and columns, and what they save has to be more
/// than the rest of this share.
constexpr std::uint64_t kLeastSizedWords = 4096;
constexpr double kSizedShare = 0.98;

}  // namespace

/// Takes what the sizes of rows and columns tell where that is smaller by enough. GPUs leave it to
/// the CPU, and earlier readers do not know it. Weights gain a third of a percent at most, and it
/// takes as long as all else.
void PartEncoder::trySized(const EncodeInput& alone, EncodedPart& best) const {
  const PartShape& shape = alone.shape;
  if (effort_ == Effort::Fast || !sizedCodable(shape.word)) return;
  if (shape.wordCount() < kLeastSizedWords) return;
  const double most = kSizedShare * static_cast<double>(best.payload.size());
  const SizedPlan plan = planSized(alone);
  if (plan.estimatedBits / 8 > most) return;
  auto payload = encodeSized(alone, plan);
  if (static_cast<double>(payload.size()) > most) return;
  best = {.codec = CodecId::Sized, .payload = std::move(payload)};
}

bool PartEncoder::isFirstMoment(const PartPlan& part) const noexcept {
  return model_.tensors[part.tensor].kind == TensorKind::FirstMoment ||
         (part.group != nullptr && part.group->firstMoment == part.tensor);
}

bool PartEncoder::isMoment(const PartPlan& part) const noexcept {
  return isFirstMoment(part) || model_.tensors[part.tensor].kind == TensorKind::SecondMoment ||
         (part.group != nullptr && part.group->secondMoment == part.tensor);
}

/// First moments of an embedding: what decay has left of them where no gradient came, else new.
void PartEncoder::tryDecaying(const EncodeInput& input, EncodedPart& best) const {
  if (effort_ == Effort::Fast || !sizedCodable(input.shape.word)) return;
  DecayedRows decay = findDecayingRows(input);
  if (decay.factors.empty()) return;
  const SizedPlan plan = planSized(input, std::move(decay));
  if (plan.estimatedBits / 8 >= static_cast<double>(best.payload.size())) return;
  auto payload = encodeSized(input, plan);
  if (payload.size() >= best.payload.size()) return;
  best = {.codec = CodecId::Sized, .payload = std::move(payload)};
}

}  // namespace strata
