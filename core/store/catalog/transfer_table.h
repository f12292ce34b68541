#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

namespace strata {

/// A push or pull that is not over, as a row; core/transfer/transfer_log.h gives it a meaning.
struct TransferRow {
  std::int64_t id = 0;     ///< never used twice
  std::string direction;   ///< "push", "pull"
  std::string remote;      ///< a name or a URL
  std::string references;  ///< a JSON list
  std::string options;     ///< a JSON object
  std::string state;
  std::string problem;          ///< why it failed
  std::int64_t processId = 0;   ///< who ran it last
  std::uint64_t doneBytes = 0;  ///< moved, of totalBytes
  std::uint64_t totalBytes = 0;
  std::int64_t begunAt = 0;    ///< seconds since 1970, UTC
  std::int64_t changedAt = 0;  ///< when the row was written last
};

/// The catalog's table of transfers, which is written without the store's write lock, for pushes
/// and pulls run beside other work. It was not part of the catalog's first layout: it is made when
/// the first row is, and older programs do not look at it. Rebuilding a sound catalog keeps it.
///
/// One instance is used by one thread at a time. Functions fail with CorruptData, NoSpace or Io.
class TransferTable {
 public:
  enum class Access { Read, Write };
  /// Fails with NotFound if the store has no catalog, too.
  static Result<std::unique_ptr<TransferTable>> open(const std::filesystem::path& storeFolder,
                                                     Access access);
  ~TransferTable();
  TransferTable(const TransferTable&) = delete;
  TransferTable& operator=(const TransferTable&) = delete;

  /// By id.
  Result<std::vector<TransferRow>> rows() const;
  /// Grows with each change of versions, tags and the trash, and not with those of this table.
  Result<std::int64_t> otherChanges() const;

  /// Runs `change` in one transaction, which is rolled back if it fails. Waits at most `waitMs` for
  /// other writers of the catalog. What it changes may be lost with the machine's power.
  Result<void> transact(int waitMs, const std::function<Result<void>()>& change);
  /// Inside of transact only. Writes a row, with the next id in place of 0, and gives it.
  Result<std::int64_t> put(const TransferRow& row);
  Result<void> erase(std::int64_t id);

 private:
  struct State;
  explicit TransferTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
