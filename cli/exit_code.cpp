#include "cli/exit_code.h"

namespace strata::cli {
namespace {

struct Row {
  ErrorCode code;
  ExitCode exit;
  std::string_view number;
};

constexpr Row kRows[] = {
    {ErrorCode::InvalidArgument, ExitCode::Usage, "STRATA-E201"},
    {ErrorCode::NotFound, ExitCode::NotFound, "STRATA-E501"},
    {ErrorCode::Unsupported, ExitCode::Failed, "STRATA-E102"},
    {ErrorCode::CorruptData, ExitCode::Integrity, "STRATA-E601"},
    {ErrorCode::BaseMismatch, ExitCode::Integrity, "STRATA-E602"},
    {ErrorCode::LimitExceeded, ExitCode::NoResources, "STRATA-E902"},
    {ErrorCode::NoSpace, ExitCode::NoResources, "STRATA-E901"},
    {ErrorCode::NoStore, ExitCode::NoStore, "STRATA-E1001"},
    {ErrorCode::StoreLocked, ExitCode::StoreLocked, "STRATA-E1101"},
    {ErrorCode::FormatTooNew, ExitCode::FormatTooNew, "STRATA-E1201"},
    {ErrorCode::LoginRequired, ExitCode::Login, "STRATA-E403"},
    {ErrorCode::Io, ExitCode::Failed, "STRATA-E101"},
    {ErrorCode::Network, ExitCode::Network, "STRATA-E801"},
    {ErrorCode::Device, ExitCode::Failed, "STRATA-E103"},
    {ErrorCode::Evaluator, ExitCode::Failed, "STRATA-E104"},
    {ErrorCode::Cancelled, ExitCode::Interrupted, "STRATA-E13001"},
    {ErrorCode::Internal, ExitCode::Failed, "STRATA-E199"},
};

const Row& rowOf(ErrorCode code) noexcept {
  for (const Row& row : kRows) {
    if (row.code == code) return row;
  }
  return kRows[std::size(kRows) - 1];
}

}  // namespace

ExitCode exitCode(ErrorCode code) noexcept { return rowOf(code).exit; }
std::string_view errorNumber(ErrorCode code) noexcept { return rowOf(code).number; }

}  // namespace strata::cli
