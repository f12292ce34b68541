#include "core/exit_code.h"

namespace strata {
namespace {

struct Row {
  ErrorCode code;
  ExitCode exit;
};

constexpr Row kRows[] = {
    {ErrorCode::InvalidArgument, ExitCode::Usage},
    {ErrorCode::NotFound, ExitCode::NotFound},
    {ErrorCode::Unsupported, ExitCode::Failed},
    {ErrorCode::CorruptData, ExitCode::Integrity},
    {ErrorCode::BaseMismatch, ExitCode::Integrity},
    {ErrorCode::LimitExceeded, ExitCode::NoResources},
    {ErrorCode::NoSpace, ExitCode::NoResources},
    {ErrorCode::NoStore, ExitCode::NoStore},
    {ErrorCode::StoreLocked, ExitCode::StoreLocked},
    {ErrorCode::FormatTooNew, ExitCode::FormatTooNew},
    {ErrorCode::LoginRequired, ExitCode::Login},
    {ErrorCode::Io, ExitCode::Failed},
    {ErrorCode::Network, ExitCode::Network},
    {ErrorCode::Device, ExitCode::Failed},
    {ErrorCode::Evaluator, ExitCode::Failed},
    {ErrorCode::Cancelled, ExitCode::Interrupted},
    {ErrorCode::Internal, ExitCode::Failed},
};

const Row& rowOf(ErrorCode code) noexcept {
  for (const Row& row : kRows) {
    if (row.code == code) return row;
  }
  return kRows[std::size(kRows) - 1];
}

}  // namespace

ExitCode exitCode(ErrorCode code) noexcept { return rowOf(code).exit; }

}  // namespace strata
