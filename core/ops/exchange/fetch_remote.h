#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/exchange/still_there.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transport.h"

namespace strata {

/// What a remote listed when it was last asked.
struct FetchedListing {
  RefListing listing;
  std::int64_t fetchedAt = 0;  ///< seconds since 1970, UTC
  /// Of a list with nothing to warn of: while it is the newest one, that is all to say of it.
  struct Counts {
    std::uint64_t versions = 0;
    std::uint64_t tags = 0;
  };
  std::optional<Counts> counts = {};
};

struct FetchReport {
  std::vector<RemoteVersion> newVersions;  ///< since it was last asked, and not in this store
  std::uint64_t versionCount = 0;
  std::uint64_t tagCount = 0;
  std::vector<BaseElsewhere> elsewhere;  ///< parents that a pull fetches elsewhere
  std::vector<std::string> problems;     ///< refs that cannot be read
};

struct FetchOptions {
  /// An older list than the one that was last seen counts from now on (checkStillThere).
  bool acceptOlder = false;
};

/// Asks a remote for its refs only and keeps them in STORE/remotes/NAME.json, so that lists and the
/// window can show them without a network. Fails with what readList and checkIsMade
/// fail with, Io. That nobody has pushed there yet is kept, too.
Result<FetchReport> fetchRemote(const Store& store, Transport& remote, const std::string& name,
                                std::stop_token stop, const FetchOptions& options = {});

/// Keeps what a push or pull saw of a remote, as fetchRemote does. `name`: of a remote of the
/// store, or a URL. `formerNumber`: the number of the list that was known (readFormer) before this
/// one was read. A newer list that another process has kept since stays. Fails with Io or NoSpace,
/// saying what follows: what was pushed or pulled is there all the same, and is reported with it.
Result<void> keepFetched(const Store& store, const std::string& name, const RefListing& listing,
                         std::uint64_t formerNumber);

/// The list that a push made of this one: as the remote has it, where that is known.
RefListing listingMade(Transport& remote, RefListing listing);

/// An error of keepFetched after something was taken off the remote's list.
Error afterRemoval(Error error);

/// What the remote listed when it was last asked, under `name` or under another name or the URL of
/// the same place. Nothing if it was never asked. Read
/// before the remote's list: another process of this store may push in between. Fails with
/// CorruptData or Io, saying what to do: only what is kept there tells that a remote lost versions.
Result<std::optional<RefListing>> readFormer(const Store& store, const std::string& name);

/// Of a place that was never asked: what this store knows of the remote from another place, where
/// its list says that it is the same one, and the only one there. Fails as readFormer, NoSpace.
Result<void> recognize(const Store& store, const std::string& name, const RefListing& listing,
                       std::optional<RefListing>& former);

struct ListRead {
  RefListing listing;
  std::uint64_t formerNumber = 0;  ///< number of the list that was known before; 0: none
  std::string notice = {};         ///< olderListText
};

/// Reads the remote's list, and compares it with what was known before. Fails with what
/// readFormer, Transport::readRefs and checkStillThere fail with.
Result<ListRead> readList(const Store& store, Transport& remote, const std::string& name,
                          const std::stop_token& stop);

/// Nothing if it was never asked. Fails with CorruptData or Io.
Result<std::optional<FetchedListing>> readFetched(const std::filesystem::path& storeFolder,
                                                  const std::string& name);

/// What a remote listed goes with it to its new name. Where that fails it is as never asked.
void renameFetched(const std::filesystem::path& storeFolder, const std::string& name,
                   const std::string& newName);

/// What a remote listed whose name goes, or gets another URL: it is kept as that of its URL.
void setFetchedAside(const std::filesystem::path& storeFolder, const std::string& name,
                     const std::string& url);

/// The place of a remote counts as never asked. What is kept of the remote stays for where it comes
/// back elsewhere. Fails with NoSpace or Io.
Result<void> forgetPlace(const std::filesystem::path& storeFolder, const std::string& name);

/// Forgets what the place of a remote listed, under whatever name it was asked; it need not be
/// known.
void forgetFetched(const std::filesystem::path& storeFolder, const std::string& name);

}  // namespace strata
