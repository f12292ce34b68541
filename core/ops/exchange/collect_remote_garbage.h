#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

struct RemoteGarbageOptions {
  bool dryRun = true;
  /// Younger objects stay: a push that is under way may have sent them, and one that was cut will
  /// find them. A day; not negative.
  std::int64_t graceSeconds = 86'400;
  unsigned parallel = 4;  ///< manifests read at once
  /// The remote's name or URL, for what the store knows of it (checkStillThere), and for what it
  /// has itself (RemoteGarbageReport::hereAlone); empty: nothing.
  std::string keptAs = {};
  /// Also objects that only a lost list may have named (RefIndex::unseen): nobody waits for a store
  /// that saw it any more.
  bool acceptLost = false;
  /// Also objects that versions of this store need which the remote does not list. Without it they
  /// stay, unless this store took the version off there: nobody else may have meant it.
  bool dropUnlisted = false;
};

struct RemoteGarbageReport {
  std::vector<StockedObject> freed;  ///< or to be freed
  std::uint64_t freedBytes = 0;
  std::uint64_t youngObjects = 0;  ///< that no version needs and that are too young to go
  std::uint64_t youngBytes = 0;
  std::uint64_t keptObjects = 0;  ///< that versions need
  std::uint64_t keptBytes = 0;
  /// Lists that could not be read when somebody mended them who had not seen them, and which no
  /// store that saw them has brought back since. While there are any, nothing goes.
  std::set<std::uint64_t> lostLists;
  /// Labels of versions that this store saw there and that may have been lost
  /// (RefListing::missing). What they need does not go either.
  std::vector<std::string> lostVersions;
  std::uint64_t withheldObjects = 0;  ///< that would go, and that those may have named
  std::uint64_t withheldBytes = 0;
  std::optional<std::int64_t> withheldSince;  ///< the oldest was changed then, where that is known
  std::optional<std::int64_t> withheldUntil;  ///< … and the youngest
  /// Versions of this store that the remote does not list, whose objects there stay for them.
  std::vector<std::string> hereAlone;
  std::uint64_t hereAloneObjects = 0;
  std::uint64_t hereAloneBytes = 0;
  /// Files that pushes which died left half written, as old as that and a day at least; their bytes
  /// count nowhere.
  std::size_t scratchFiles = 0;
  std::string afterwards;  ///< what becomes of the bytes, where they are not free at once
};

/// Deletes the objects of a remote that no version there needs, by its refs and manifests. Safe
/// beside pushers: one that found an object there which goes is told, and sends it
/// (Transport::sweep). Programs that could not be told are refused by the index's format.
///
/// Fails with CorruptData if the list went back (checkStillThere), a ref or manifest there cannot
/// be read, or a parent is not listed: what is needed is then not known, and nothing is deleted.
/// InvalidArgument: no version is listed, or the age is negative. Unsupported, saying what to do
/// instead, or where refs are not Atomic. Also with Network, LoginRequired, Cancelled. What was
/// deleted before an error is gone: its message says how many.
Result<RemoteGarbageReport> collectRemoteGarbage(const Store& store, Transport& remote,
                                                 const RemoteGarbageOptions& options,
                                                 std::stop_token stop,
                                                 const ProgressSink& progress);

}  // namespace strata
