#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/exchange/push_versions.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transport.h"

namespace strata {

/// Brings a base into the store that the remote does not hold (importElsewhere). It asks the user
/// first, for the URL may be anybody's.
using BaseFetcher =
    std::function<Result<void>(const BaseElsewhere&, std::stop_token, const ProgressSink&)>;

struct PullOptions {
  std::vector<std::string> references =
      {};                    ///< as the remote knows them, with patterns; empty: all
  std::uint32_t latest = 0;  ///< only so many versions of each name, the newest; 0: all
  bool lazy = false;         ///< manifests only; restoring asks for the rest
  /// The packs that versions here await, as restoring needs them. Versions stay where they are,
  /// listed or in the trash, and tags do too. There is nothing to undo.
  bool packsOnly = false;
  bool forceTags = false;  ///< take the remote's tags, also where they were moved here
  bool dryRun = false;
  unsigned parallel = 4;       ///< transfers at once
  BaseFetcher fetchBase = {};  ///< empty: versions that need a base from elsewhere fail
  /// The remote's name or URL under which the catalog keeps the pull until it is over
  /// (core/transfer/transfer_log.h); empty: it is not kept.
  std::string keptAs = {};
};

/// What the catalog keeps of a pull, and back, but for `parallel`.
TransferRequest requestOf(const PullOptions& options);
PullOptions pullOptionsOf(const TransferRequest& request);

struct PullReport {
  /// A tag that came to another version, or to one that was here already.
  struct Tag {
    std::string tag;   ///< "sst2:prod"
    std::string from;  ///< the version that had it: "sst2:v1"; empty: none
    std::string to;    ///< as it is called here; of a dry run perhaps as it is called there
  };
  struct Item {
    VersionEntry version;            ///< as it is here; of a dry run what is known of it
    std::uint32_t remoteNumber = 0;  ///< another than the version's if that was taken here
    std::uint64_t fetchedBytes = 0;  ///< of objects that this version brought along
    bool wasRemoved = false;         ///< it was removed here, and is back under its number
  };
  std::vector<Item> pulled;             ///< new here
  std::vector<VersionEntry> completed;  ///< here already, and now with all their objects
  std::vector<VersionEntry> alreadyHere;
  std::vector<BaseElsewhere> bases;  ///< fetched elsewhere, or that would be
  std::vector<FailedTransfer> failed;
  std::vector<Tag> tags;
  std::vector<std::string> tagsElsewhere;  ///< "sst2:prod" that were moved here, too, and stay
  std::vector<std::string> tagsOfOtherSnapshots;  ///< the same, as PushReport has them
  std::vector<std::string> notes;           ///< labels of versions that have the remote's note now
  std::vector<std::string> notesElsewhere;  ///< edited on both sides since; they stay
  /// Labels of versions that may have other permission bits there; those here stay as they are.
  std::vector<std::string> modesElsewhere;
  /// Labels there of versions that stay away, because others have their places here by now.
  std::vector<std::string> replaced;
  std::vector<std::string> problems;  ///< refs and signatures there that cannot be read, and more
  std::size_t unreadCount = 0;        ///< refs among them: what they list is not pulled
  std::uint64_t objectCount = 0;      ///< fetched, or that would be
  std::uint64_t byteCount = 0;
  std::uint64_t keptBytes = 0;  ///< of those, what an interrupted transfer had left here
  std::uint64_t freeBytes = 0;  ///< on the store's disk, before
};

/// Fetches versions and the parents that are not here, and the tags of all that it was asked for.
/// A tag that was moved on the remote moves here, too, unless it was moved here since. So do notes
/// that were edited. A version
/// appears only after all of its objects are here and its manifest is what the remote said.
/// Objects that the last verification found damaged are fetched again, whatever their size.
/// A version that fails does not stop the others. That holds for one that the disk has no room for,
/// and for one that is listed with a size that the remote does not have. Interrupted, the next call
/// goes on with the parts in STORE/partial. Fails with NotFound or InvalidArgument (references),
/// NoSpace before the first byte, Network, LoginRequired, StoreLocked, Cancelled, and with the
/// cause if nothing at all could be fetched.
Result<PullReport> pullVersions(Store& store, Transport& remote, const PullOptions& options,
                                std::stop_token stop, const ProgressSink& progress);

/// What a pull of each version of `library` alone would fetch, parents included, in their order: 0
/// for those that are here with all they need, nothing for those whose parents are nowhere. No
/// network, but objects that the last verification found damaged are hashed. Fails with Cancelled,
/// Io.
Result<std::vector<std::optional<std::uint64_t>>> bytesToPull(const Store& store,
                                                              const RemoteLibrary& library,
                                                              std::stop_token stop = {},
                                                              const ProgressSink& progress = {});

}  // namespace strata
