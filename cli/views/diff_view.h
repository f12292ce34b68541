#pragma once

#include <filesystem>

#include "cli/output.h"
#include "core/ops/inspect/diff_models.h"

namespace strata::cli {

/// The document of a comparison.
Json toJson(const DiffReport& report);

/// The comparison in a few lines.
void printSummary(Output& output, const DiffReport& report);

/// A line for each tensor of the report.
void printTensors(Output& output, const DiffReport& report, double threshold);

/// All listed tensors as CSV: a header, then a row each. Replaces the file.
/// Fails with Io or NoSpace.
Result<void> writeCsv(const std::filesystem::path& file, const DiffReport& report);

}  // namespace strata::cli
