#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/progress.h"
#include "core/store/catalog/transfer_table.h"
#include "core/transfer/detail/claim_file.h"
#include "core/transfer/transfer_log.h"

namespace strata {

/// The right to run a transfer, and its entry in the catalog: given up by the death of the process,
/// which leaves the entry behind as interrupted. Keeping the list never stands in a transfer's way:
/// where the catalog cannot be written, there is no entry. Safe to use from several threads.
class TransferClaim {
 public:
  /// Takes over the entry of an equal request that nobody runs, or makes one. `state` is Waiting or
  /// Running.
  static std::unique_ptr<TransferClaim> take(const Store& store, const TransferRequest& request,
                                             TransferEntry::State state,
                                             std::uint64_t totalBytes = 0);
  TransferClaim(const TransferClaim&) = delete;
  TransferClaim& operator=(const TransferClaim&) = delete;
  /// One that was not ended is interrupted from now on.
  ~TransferClaim();

  /// The entry's number; 0 if there is none.
  std::int64_t id();

  /// Bytes that have moved; written at most every two seconds.
  void note(std::uint64_t doneBytes);
  /// A sink that notes bytes, `before` and those of its phase, and passes them on to `next`.
  ProgressSink noting(const ProgressSink& next, std::uint64_t before = 0);

  /// It is over: the entry goes.
  void finish();
  /// It ended with this failure. Cancelled: it is interrupted. What no retry mends
  /// (InvalidArgument, NotFound, Unsupported, BaseMismatch) is over.
  void fail(const Error& error);

 private:
  TransferClaim(std::unique_ptr<TransferTable> table, ClaimFile claims);
  /// Finds or makes the row, inside of a transaction.
  Result<void> claim(TransferRow wanted);
  void write(int waitMs);

  std::mutex mutex_;                      ///< guards all below
  std::unique_ptr<TransferTable> table_;  ///< null: it cannot be written
  ClaimFile claims_;
  TransferRow row_;
  bool isOver_ = false;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace strata
