#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// `REMOTE/NAME:TAG` and its like: a version as a remote calls it.
struct RemoteReference {
  std::string remote;     ///< its name in the store
  std::string reference;  ///< what Store::resolve takes
};

/// A word can be said to mean one thing: `:NAME` is a version of this store, `REMOTE//REF` one of
/// a remote. Neither is a name.
bool isSaidStored(std::string_view word) noexcept;
bool isSaidRemote(const RemoteList& remotes, std::string_view word) noexcept;
/// The reference for this store that is meant: without the ':'.
std::string storedWord(std::string_view word);

/// Fails with InvalidArgument, with a word for each meaning, if `word` is a reference or pattern
/// for versions of the store and could mean those of one of its remotes, too.
Result<void> checkMeansOne(const Catalog& catalog, const RemoteList& remotes,
                           std::string_view word);

/// `REMOTE/REF` or `REMOTE//REF`. Nothing if the word is no reference to one of these remotes: then
/// it is one to this store, a path or a mistake.
std::optional<RemoteReference> readRemoteReference(const RemoteList& remotes,
                                                   std::string_view word);

/// A version of a remote, by what the remote listed when it was last asked.
struct RemoteFinding {
  RemoteVersion version;
  std::vector<std::string> tags;
  std::string parentLabel;  ///< on the remote; empty for a base, and where it is not there
  std::vector<std::string> labelsHere;  ///< listed versions here of the same content
  std::uint64_t fetchBytes = 0;         ///< that a pull would move
  std::int64_t askedAt = 0;             ///< seconds since 1970, UTC
};

/// Nothing if the remote was never asked (fetchRemote). Fails with NotFound, naming what there is,
/// InvalidArgument, CorruptData, Io.
Result<std::optional<RemoteFinding>> findRemoteVersion(const Store& store,
                                                       const RemoteReference& reference);

}  // namespace strata
