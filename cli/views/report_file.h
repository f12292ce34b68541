#pragma once

#include <optional>
#include <string>

#include "cli/problem.h"
#include "core/exit_code.h"
#include "core/ops/versions/write_report.h"
#include "core/store/store_location.h"

namespace strata::cli {

/// Asked before the work whose report goes to `file`, if the user wants one: it lies outside of any
/// store and replaces no file unless `--force` says so.
inline Outcome checkReportFile(const std::optional<std::string>& file, bool isForced) {
  if (!file) return ExitCode::Done;
  STRATA_TRY(refuseInsideStore(*file));
  auto isFree = isForced ? Result<void>() : refuseReplacing(*file);
  if (!isFree) return problem({std::move(isFree).error(), "the same command with --force"});
  return ExitCode::Done;
}

}  // namespace strata::cli
