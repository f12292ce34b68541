#pragma once

#include "core/result.h"

namespace strata {

/// What the programs end with, and what exceptions of other languages carry. Fixed: scripts branch
/// on these numbers (docs/CLI.md).
enum class ExitCode : int {
  Done = 0,
  Failed = 1,
  Usage = 2,  ///< wrong arguments, or a confirmation is needed
  Partly = 3,
  Login = 4,
  NotFound = 5,
  Integrity = 6,
  NotMet = 7,  ///< ran, but the check asked for is not met
  Network = 8,
  NoResources = 9,
  NoStore = 10,
  StoreLocked = 11,
  FormatTooNew = 12,
  Interrupted = 130,
  Terminated = 143,
};

/// The one table from failures to exit codes.
ExitCode exitCode(ErrorCode code) noexcept;

}  // namespace strata
