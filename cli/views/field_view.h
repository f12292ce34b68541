#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/inspect/bench_field.h"

namespace strata::cli {

/// "LC-Checkpoint: 4.6 MB, 19.7x", as soon as it is known.
std::string rowText(const FieldRow& row, std::uint64_t originalBytes);

/// The rows as a table, and what they were measured of.
void printField(Output& output, const FieldReport& report);
Json toJson(const FieldReport& report);

/// The rows as bars, by ratio on a logarithmic scale; lossy ones with what they lose. SVG.
std::string fieldSvg(const FieldReport& report);

}  // namespace strata::cli
