#pragma once

#include "core/codec/codec.h"
#include "core/codec/device/device_input.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/predict/predictor.h"

namespace strata {

// How codecs describe an opened part to a device.

/// The fields that follow from the part alone.
kernels::DevicePart deviceFormOf(const PartShape& shape, kernels::DeviceCoding coding,
                                 bool hasParent);

/// What a difference payload says of its words in front of the tables. Borrows both.
struct DeltaForm {
  CodecId codec;   ///< Integer or Xor
  unsigned shift;  ///< low bits that are zero in every word
  const Predictor& predictor;
  const ScaleTerms& terms;
};

/// A part of differences but for its tables.
kernels::DevicePart deltaFormOf(const PartShape& shape, const DeltaForm& form, DeviceInput& input);

/// Tables and terms of a stream of levels.
void describeSymbols(const TableSet& tables, const ScaleTerms& terms, DeviceInput& input,
                     kernels::DevicePart& part);

/// Tables of a stream of differences or levels.
void describeTables(const TableSet& tables, DeviceInput& input, kernels::DevicePart& part);

/// Low-rank factors; nothing for rank 0.
void describeFactors(const LowRankFactors& factors, DeviceInput& input, kernels::DevicePart& part);

}  // namespace strata
