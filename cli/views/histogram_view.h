#pragma once

#include "cli/output.h"
#include "core/ops/inspect/tensor_histogram.h"

namespace strata::cli {

/// The document of `show --histogram`.
Json toJson(const HistogramReport& report);

/// The distributions as bars of text, a line for each bin.
void printHistogram(Output& output, const HistogramReport& report);

}  // namespace strata::cli
