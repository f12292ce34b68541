#include "core/codec/device_form.h"

#include <cmath>

namespace strata {
namespace {

/// The device has one mark for rows without change, too.
static_assert(ScaleTerms::kDeadRow == kernels::kDeviceDeadRow);

template <typename Factors>
void describeAnyFactors(const Factors& factors, DeviceInput& input, kernels::DevicePart& part) {
  part.rank = factors.rank;
  part.scale = std::ldexp(1.0, factors.scaleLog2);
  part.rowFactorsAt = input.add(std::span(factors.rows));
  part.columnFactorsAt = input.add(std::span(factors.columns));
}

}  // namespace

kernels::DevicePart deviceFormOf(const PartShape& shape, kernels::DeviceCoding coding,
                                 bool hasParent) {
  kernels::DevicePart part;
  part.coding = coding;
  part.wordBytes = static_cast<std::uint8_t>(shape.word.bytes);
  part.isFloat = shape.word.isFloat;
  part.isSigned = shape.word.isSigned;
  part.hasParent = hasParent;
  part.kind = predictableKind(shape.word).value_or(kernels::FloatKind::F32);
  part.columns = static_cast<std::uint32_t>(shape.columns);
  return part;
}

void describeSymbols(const TableSet& tables, const ScaleTerms& terms, DeviceInput& input,
                     kernels::DevicePart& part) {
  part.tablesAt = input.add(std::span(tables.slots));
  part.mapAt = input.add(std::span<const std::uint8_t>(tables.map));
  part.rowsAt = input.addIfAny(std::span(terms.rows));
  part.columnsAt = input.addIfAny(std::span(terms.columns));
  part.allRows = terms.all;
}

void describeFactors(const LowRankFactors& factors, DeviceInput& input, kernels::DevicePart& part) {
  if (factors.rank != 0) describeAnyFactors(factors, input, part);
}

void describePredictor(const Predictor& predictor, DeviceInput& input, kernels::DevicePart& part) {
  describeFactors(predictor.lowRank, input, part);
  if (predictor.wide.rank != 0) {
    part.isWide = true;
    describeAnyFactors(predictor.wide, input, part);
  }
  part.paletteAt = input.addIfAny(std::span(predictor.palette));
  part.decaysAt = input.addIfAny(std::span(predictor.factors));
}

}  // namespace strata
