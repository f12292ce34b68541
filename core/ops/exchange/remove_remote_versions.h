#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/exchange/push_versions.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

struct RemoteRemoveOptions {
  std::vector<std::string> references = {};  ///< as the remote knows them, with patterns
  bool allVersions = false;                  ///< a plain NAME means all of its versions
  bool dryRun = false;
  std::string keptAs = {};  ///< the remote's name, for what the store keeps of its list
  PushCards cards = {};     ///< may be empty
};

struct RemoteRemoveReport {
  std::vector<RemoteVersion> versions;  ///< taken off the remote's list
  std::vector<TagRef> tags;             ///< with them
  std::uint64_t freeableBytes = 0;      ///< of objects there that no other version needs
  std::string afterRemoval;             ///< what becomes of their bytes, for people
  bool refsAreAtomic = true;            ///< false: who pushed at the same time may have interfered
};

/// Takes versions and their tags off a remote's list, all or none; their objects stay there. Fails
/// with InvalidArgument if others there are differences to one of them, naming those; NotFound
/// (references), LoginRequired, Network, Cancelled.
Result<RemoteRemoveReport> removeRemoteVersions(const Store& store, Transport& remote,
                                                const RemoteRemoveOptions& options,
                                                std::stop_token stop);

}  // namespace strata
