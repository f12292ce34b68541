#include "core/quantize/named_pairs.h"

#include <vector>

#include "core/codec/lossy/lossy_codec.h"
#include "core/parallel.h"

namespace strata {
namespace {

struct Squares {
  double difference = 0;
  double own = 0;
};

PartPlan paired(PartPlan part) {
  part.view = *part.counterpart;
  part.counterpart.reset();
  return part;
}

Squares squaresOf(const PartEncoder::Sides& sides) {
  Squares squares;
  for (std::size_t i = 0; i < sides.words.size(); ++i) {
    const double own = sides.words[i];
    const double difference = own - sides.parent[i];
    squares.difference += difference * difference;
    squares.own += own * own;
  }
  return squares;
}

}  // namespace

Result<void> pairByName(ModelPlan& plan, const PartEncoder& encoder) {
  std::vector<Squares> parts(plan.parts.size());
  const auto isOpen = [](const PartPlan& part) {
    return part.counterpart && !part.view && isQuantizable(part.shape().word);
  };
  STRATA_TRY(parallelFor(parts.size(), [&](std::size_t i) -> Result<void> {
    if (!isOpen(plan.parts[i])) return {};
    STRATA_TRY(const auto sides, encoder.sides(paired(plan.parts[i]), {}));
    parts[i] = squaresOf(sides);
    return {};
  }));
  std::vector<Squares> tensors(plan.checksums.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Squares& tensor = tensors[plan.parts[i].tensor];
    tensor.difference += parts[i].difference;
    tensor.own += parts[i].own;
  }
  for (PartPlan& part : plan.parts) {
    const Squares& tensor = tensors[part.tensor];
    if (isOpen(part) && tensor.difference < tensor.own) part = paired(part);
  }
  return {};
}

}  // namespace strata
