#pragma once

#include <vector>

#include "core/match/detail/lines.h"
#include "core/result.h"

namespace strata::match {

/// Finds the runs of lines that both sides have in the same order, whatever was inserted between
/// them or removed: one line is looked for, the run around it is measured out by bisection, and so
/// on in what is left on both sides. Reads few blocks of the parent; gives up where that does not
/// suffice, so that lines may stay unmatched, never wrongly matched but by likeness.
///
/// The runs are disjoint and ascending on both sides.
Result<std::vector<LineRun>> alignLines(const VariantWeight& variant, const LinePair& pair,
                                        ParentSampler& sampler);

}  // namespace strata::match
