#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// What a push or pull was asked for, as far as going on with it needs that. Holds no secret:
/// remotes are names of the store's list or URLs, which have none.
struct TransferRequest {
  enum class Direction { Push, Pull };
  Direction direction = Direction::Pull;
  std::string remote;                        ///< as RemoteList::choose takes it
  std::vector<std::string> references = {};  ///< empty: all versions
  // Of a push (PushOptions):
  bool withBase = true;
  bool tags = true;
  bool forceTags = false;  ///< of a pull, too
  bool renumber = false;
  bool plain = false;
  bool makePublic = false;  ///< a repository that it makes is not private
  std::string message = {};
  // Of a pull (PullOptions):
  std::uint32_t latest = 0;
  bool lazy = false;
  bool packsOnly = false;

  friend bool operator==(const TransferRequest&, const TransferRequest&) = default;
};

/// A push or pull that is not over, as the catalog keeps it. Losing it loses no data: what arrived
/// is in STORE/partial and on the remote, and the same request goes on there.
struct TransferEntry {
  enum class State {
    Waiting,      ///< for its turn, in a program that runs
    Running,      ///< in a program that runs
    Interrupted,  ///< its program stopped it, or is gone
    Failed,
  };
  std::int64_t id = 0;  ///< for people; never used twice
  TransferRequest request;
  State state = State::Interrupted;
  std::string problem;         ///< why it failed
  std::int64_t processId = 0;  ///< who ran it last
  std::uint64_t doneBytes = 0;
  std::uint64_t totalBytes = 0;  ///< 0: not known yet
  std::int64_t begunAt = 0;      ///< seconds since 1970, UTC
  std::int64_t changedAt = 0;

  bool isConfirmed = true;  ///< see below

  bool isLive() const noexcept { return state == State::Waiting || state == State::Running; }
};

/// "waiting", "running", "interrupted", "failed".
std::string_view stateWord(TransferEntry::State state) noexcept;

/// All that are not over, oldest first; rows that this program does not understand are left out.
/// Fails with NotFound (no catalog), CorruptData, Io.
Result<std::vector<TransferEntry>> listTransfers(const Store& store);

/// Whether its remote is a name of the store's list, or a URL that this user gave to a transfer of
/// this store. The catalog alone may have come from anybody.
bool isConfirmed(const Store& store, const TransferRequest& request);

/// Fails with InvalidArgument, saying what to run instead, for an entry that is not confirmed.
Result<void> checkConfirmed(const TransferEntry& entry);

/// Takes entries off the list; what arrived stays until gc comes by. Nobody may be running them:
/// InvalidArgument. One that is not listed is no error.
Result<void> forgetTransfers(const Store& store, const std::vector<std::int64_t>& ids);

}  // namespace strata
