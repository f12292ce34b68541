#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/ops/exchange/push_versions.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

struct RemoteTagOptions {
  std::string reference = {};  ///< NAME:TAG, as the remote knows it
  /// The number of the version that has it, as the user was told; nothing: whichever has it.
  std::optional<std::uint32_t> number = {};
  bool dryRun = false;
  std::string keptAs = {};  ///< the remote's name or URL, for what the store keeps of its list
  PushCards cards = {};     ///< may be empty
};

/// Takes a tag off a remote's list; its version stays. Returns the tag as it was there. A tag that
/// others moved since this store and the remote agreed on it stays, until a pull has brought it or,
/// where both sides moved it, seen where it is: InvalidArgument. Fails with
/// NotFound, InvalidArgument (no NAME:TAG), LoginRequired, Network, Cancelled, and as readList.
Result<TagRef> removeRemoteTag(const Store& store, Transport& remote,
                               const RemoteTagOptions& options, std::stop_token stop);

}  // namespace strata
