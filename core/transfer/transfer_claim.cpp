#include "core/transfer/transfer_claim.h"

#include <unistd.h>

#include <array>

#include "core/store/store_writer.h"
#include "core/transfer/detail/transfer_row.h"
#include "core/transfer/remote_config.h"

namespace strata {
namespace {

using State = TransferEntry::State;

constexpr std::chrono::seconds kNoteInterval{2};
constexpr std::size_t kMostProblemBytes = 1000;

/// Whether the same request may do better later.
bool isMendable(ErrorCode code) {
  return code != ErrorCode::InvalidArgument && code != ErrorCode::NotFound &&
         code != ErrorCode::Unsupported && code != ErrorCode::BaseMismatch;
}

bool isSameRequest(const TransferRow& a, const TransferRow& b) {
  return a.direction == b.direction && a.remote == b.remote && a.references == b.references &&
         a.options == b.options;
}

}  // namespace

TransferClaim::TransferClaim(std::unique_ptr<TransferTable> table, ClaimFile claims)
    : table_(std::move(table)), claims_(std::move(claims)) {}

std::unique_ptr<TransferClaim> TransferClaim::take(const Store& store,
                                                   const TransferRequest& request, State state,
                                                   std::uint64_t totalBytes) {
  auto table = TransferTable::open(store.folder(), TransferTable::Access::Write);
  std::unique_ptr<TransferClaim> claim(new TransferClaim(
      table ? *std::move(table) : nullptr, ClaimFile::open(store, ClaimFile::Access::Write)));
  if (claim->table_ == nullptr || !claim->claims_.isOpen()) return claim;
  if (isRemoteUrl(request.remote)) {
    // If that cannot be kept, the transfer runs, and a later program asks for the URL again.
    const std::array said{statementOfTransfers(request.remote)};
    (void)confirmStatements(store.folder(), said);
  }
  TransferRow row = rowOf(request);
  row.state = stateWord(state);
  row.totalBytes = totalBytes;
  row.processId = ::getpid();
  const auto kept =
      claim->table_->transact(kEndWaitMs, [&] { return claim->claim(std::move(row)); });
  if (!kept) claim->table_.reset();
  return claim;
}

Result<void> TransferClaim::claim(TransferRow wanted) {
  const std::lock_guard guard(mutex_);
  STRATA_TRY(const std::vector<TransferRow> rows, table_->rows());
  wanted.begunAt = wanted.changedAt = currentTime();
  for (const TransferRow& row : rows) {
    if (!isSameRequest(row, wanted) || !claims_.take(row.id)) continue;
    if (wanted.id != 0) {  // one of them is enough
      STRATA_TRY(table_->erase(row.id));
      claims_.giveBack(row.id);
      continue;
    }
    wanted.id = row.id;
    wanted.begunAt = row.begunAt;
    wanted.doneBytes = row.doneBytes;
    if (wanted.totalBytes == 0) wanted.totalBytes = row.totalBytes;
  }
  row_ = std::move(wanted);
  STRATA_TRY(row_.id, table_->put(row_));
  claims_.take(row_.id);
  written_ = std::chrono::steady_clock::now();
  return {};
}

std::int64_t TransferClaim::id() {
  const std::lock_guard guard(mutex_);
  return table_ == nullptr ? 0 : row_.id;
}

/// A row that somebody took off the list comes back: it is what happens.
void TransferClaim::write(int waitMs) {
  written_ = std::chrono::steady_clock::now();
  row_.changedAt = currentTime();
  const auto kept = table_->transact(waitMs, [&]() -> Result<void> {
    STRATA_TRY(table_->put(row_));
    return {};
  });
  if (!kept) return;  // the next one may be; the transfer itself does not depend on it
}

void TransferClaim::note(std::uint64_t doneBytes) {
  const std::lock_guard guard(mutex_);
  if (table_ == nullptr || isOver_) return;
  row_.doneBytes = doneBytes;
  if (std::chrono::steady_clock::now() - written_ >= kNoteInterval) write(kNoteWaitMs);
}

ProgressSink TransferClaim::noting(const ProgressSink& next, std::uint64_t before) {
  return [this, next, before](const Progress& progress) {
    note(before + progress.doneBytes);
    if (next) next(progress);
  };
}

void TransferClaim::finish() {
  const std::lock_guard guard(mutex_);
  if (table_ == nullptr || std::exchange(isOver_, true)) return;
  const auto erased = table_->transact(kEndWaitMs, [&] { return table_->erase(row_.id); });
  claims_.giveBack(row_.id);
  if (!erased) return;  // it is listed as interrupted, and going on finds nothing to do
}

void TransferClaim::fail(const Error& error) {
  if (!isMendable(error.code)) return finish();
  const std::lock_guard guard(mutex_);
  if (table_ == nullptr || std::exchange(isOver_, true)) return;
  const bool isStopped = error.code == ErrorCode::Cancelled;
  row_.state = stateWord(isStopped ? State::Interrupted : State::Failed);
  row_.problem = isStopped ? std::string() : error.message.substr(0, kMostProblemBytes);
  write(kEndWaitMs);
  claims_.giveBack(row_.id);
}

TransferClaim::~TransferClaim() { fail({ErrorCode::Cancelled, {}}); }

}  // namespace strata
