#include "core/codec/device/device_form.h"

#include <cmath>

#include "core/codec/exact/delta_words.h"

namespace strata {
namespace {

/// The device has one mark for rows without change, too.
static_assert(ScaleTerms::kDeadRow == kernels::kDeviceDeadRow);

template <typename Factors>
void describeAnyFactors(const Factors& factors, DeviceInput& input, kernels::DevicePart& part) {
  part.factors.rank = factors.rank;
  part.factors.scale = std::ldexp(1.0, factors.scaleLog2);
  part.factors.rowsAt = input.add(std::span(factors.rows));
  part.factors.columnsAt = input.add(std::span(factors.columns));
}

void describeTerms(const ScaleTerms& terms, DeviceInput& input, kernels::DevicePart& part) {
  part.symbols.rowsAt = input.addIfAny(std::span(terms.rows));
  part.symbols.columnsAt = input.addIfAny(std::span(terms.columns));
  part.symbols.allRows = terms.all;
}

void describePredictor(const Predictor& predictor, DeviceInput& input, kernels::DevicePart& part) {
  const auto describeDecay = [&](const DecayedRows& decay) {
    part.difference.paletteAt = input.addIfAny(std::span(decay.palette));
    part.difference.decaysAt = input.addIfAny(std::span(decay.factors));
  };
  if (const auto* const low = std::get_if<LowRankRows>(&predictor.form)) {
    describeFactors(low->factors, input, part);
    describeDecay(low->decay);
  } else if (const auto* const wide = std::get_if<WideFactors>(&predictor.form)) {
    part.factors.isWide = true;
    describeAnyFactors(*wide, input, part);
  } else if (const auto* const decay = std::get_if<DecayedRows>(&predictor.form)) {
    describeDecay(*decay);
  }
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

kernels::DevicePart deltaFormOf(const PartShape& shape, const DeltaForm& form, DeviceInput& input) {
  // Formats do not depend on the type that holds a word.
  const DeltaWords<std::uint32_t> words(shape, form.shift, form.codec == CodecId::Xor);
  kernels::DevicePart part = deviceFormOf(shape, kernels::DeviceCoding::Delta, true);
  part.difference.format = words.format();
  part.difference.hasExponents = words.termFormat().isFloat;
  part.difference.shift = form.shift;
  describeTerms(form.terms, input, part);
  describePredictor(form.predictor, input, part);
  return part;
}

void describeTables(const TableSet& tables, DeviceInput& input, kernels::DevicePart& part) {
  part.symbols.tablesAt = input.add(std::span(tables.slots));
  part.symbols.mapAt = input.add(std::span<const std::uint8_t>(tables.map));
}

void describeSymbols(const TableSet& tables, const ScaleTerms& terms, DeviceInput& input,
                     kernels::DevicePart& part) {
  describeTables(tables, input, part);
  describeTerms(terms, input, part);
}

void describeFactors(const LowRankFactors& factors, DeviceInput& input, kernels::DevicePart& part) {
  if (factors.rank != 0) describeAnyFactors(factors, input, part);
}

}  // namespace strata
