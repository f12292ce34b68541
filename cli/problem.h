#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/exit_code.h"
#include "core/result.h"

namespace strata::cli {

/// Why a command failed, with what the person can do about it.
struct Problem {
  Error error;
  std::vector<std::string> details;   ///< further lines: causes, nearby names
  std::string fix;                    ///< a line to run; empty where the code alone suggests one
  bool adviceByCode = true;           ///< whether what the code suggests would help here
  std::filesystem::path output = {};  ///< what was written; empty: the store

  Problem(Error failure) : error(std::move(failure)) {}  // NOLINT: errors become problems
  Problem(Error failure, std::string line) : error(std::move(failure)), fix(std::move(line)) {}
};

/// How a command ended: with an exit code that is not an error (done, partly, not met) or a
/// problem.
using Outcome = tl::expected<ExitCode, Problem>;

template <typename T>
using Attempt = tl::expected<T, Problem>;

/// Makes a failed Outcome or Attempt.
inline tl::unexpected<Problem> problem(ErrorCode code, std::string message, std::string fix = {}) {
  return tl::unexpected<Problem>(Problem{Error{code, std::move(message)}, std::move(fix)});
}
inline tl::unexpected<Problem> problem(Problem cause) {
  return tl::unexpected<Problem>(std::move(cause));
}

/// The failure, with a line to run if it is of this kind.
inline tl::unexpected<Problem> problem(Error cause, ErrorCode code, std::string fix) {
  const bool isOfKind = cause.code == code;
  return problem(Problem(std::move(cause), isOfKind ? std::move(fix) : std::string{}));
}

/// The same of a command that brings something back out of the trash. On a full disk it is not
/// advised to empty the trash, which has what was to come back.
inline tl::unexpected<Problem> problemOfReturn(Error cause, ErrorCode code, std::string fix) {
  if (cause.code == ErrorCode::NoSpace) return problem(Problem(std::move(cause), "strata gc"));
  return problem(std::move(cause), code, std::move(fix));
}

/// The failure of what was to write to `output`, a path that the user named.
inline tl::unexpected<Problem> problemAt(Problem cause, std::filesystem::path output) {
  cause.output = std::move(output);
  return problem(std::move(cause));
}

/// Wrong use of the command line.
inline tl::unexpected<Problem> usage(std::string message, std::string fix = {}) {
  return problem(ErrorCode::InvalidArgument, std::move(message), std::move(fix));
}

}  // namespace strata::cli

#define STRATA_ATTEMPT_(name, declaration, expression)               \
  auto name = (expression);                                          \
  if (!name) return ::strata::cli::problem(std::move(name).error()); \
  declaration = std::move(*name)

/// STRATA_TRY for Attempts and Outcomes: keeps details and fix.
#define STRATA_ATTEMPT(declaration, expression) \
  STRATA_ATTEMPT_(STRATA_JOIN(attempt_, __LINE__), declaration, expression)
