#pragma once

#include "core/codec/codec.h"
#include "core/codec/device_input.h"
#include "core/codec/predictor.h"
#include "core/codec/scale_terms.h"
#include "core/codec/table_set.h"

namespace strata {

// How codecs describe an opened part to a device.

/// The fields that follow from the part alone.
kernels::DevicePart deviceFormOf(const PartShape& shape, kernels::DeviceCoding coding,
                                 bool hasParent);

/// Tables and terms of a stream of differences or levels.
void describeSymbols(const TableSet& tables, const ScaleTerms& terms, DeviceInput& input,
                     kernels::DevicePart& part);

/// Low-rank factors; nothing for rank 0.
void describeFactors(const LowRankFactors& factors, DeviceInput& input, kernels::DevicePart& part);

void describePredictor(const Predictor& predictor, DeviceInput& input, kernels::DevicePart& part);

}  // namespace strata
