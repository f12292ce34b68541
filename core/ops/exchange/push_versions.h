#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transfer_log.h"
#include "core/transfer/transport.h"

namespace strata {

/// Makes texts for people (RefPush::cards) out of all that the remote will list and the version
/// whose plain files will be there, empty for none.
using PushCards = std::function<std::map<std::string, std::string>(const RemoteLibrary&,
                                                                   const std::string& plain)>;

struct PushOptions {
  std::vector<std::string> references = {};  ///< with patterns; empty: all versions
  /// Send bases, too, where the remote lacks them. Without them those that `references` name go
  /// alone, and the remote is told where a receiver fetches the others (isFetchable).
  bool withBase = true;
  bool tags = true;        ///< send the tags of the versions
  bool forceTags = false;  ///< also tags that were moved there since, or taken off
  /// A number that another content has there: takes the next one that is free on both sides. Then
  /// gives the versions the numbers here that they have there, in one change that undo takes back.
  bool renumber = false;
  bool plain = false;  ///< also the files of the newest version named, restored (PlainSet)
  /// Sends nothing new. Reads back what the named versions, or all that the remote lists, need
  /// there, and sends again what is damaged or missing, parents included. Without names it mends
  /// the list itself, too (core/ops/exchange/detail/push/list_mending.h).
  bool repair = false;
  bool create = false;  ///< also where a remote is gone that listed versions (checkStillThere)
  bool dryRun = false;
  std::string message = {};  ///< what the remote's history says; empty: the versions' names
  unsigned parallel = 4;     ///< transfers at once
  /// The remote's name or URL under which the catalog keeps the push until it is over
  /// (core/transfer/transfer_log.h), with what it is asked for; empty: it is not kept.
  std::string keptAs = {};
  bool makePublic = false;  ///< for keeping: what the caller told the transport
  PushCards cards = {};     ///< may be empty
};

/// What the catalog keeps of a push, and back, but for cards and `parallel`.
TransferRequest requestOf(const PushOptions& options);
PushOptions pushOptionsOf(const TransferRequest& request);

/// One version and why it did not go.
struct FailedTransfer {
  std::string label;
  Error error;
  bool isMemory = false;  ///< what was asked for is done; only what is known of it is not kept
};

/// A base that a push without bases leaves out, and what a receiver needs.
struct LeftOutBase {
  VersionEntry version;
  std::string url;  ///< where a receiver fetches it (isFetchable); empty: it has to have it
};

/// What a push says of tags, notes and permission bits that differ on both sides, or did.
struct PushRemarks {
  std::vector<std::string> tagsElsewhere;  ///< "sst2:prod" that point elsewhere there
  /// The same, of snapshots: two machines that go on with one run both have a "step-500", and the
  /// one that was there first keeps the tag.
  std::vector<std::string> tagsOfOtherSnapshots;
  std::vector<std::string> tagsMovedThere;  ///< the same, moved there alone since: to be pulled
  std::vector<std::string> tagsTakenThere;  ///< the same, taken off there: they stay so
  /// The same, not there and perhaps taken off: what was agreed on was lost here. They stay off.
  std::vector<std::string> tagsInDoubt;
  std::vector<std::string> tagsRemovedHere;   ///< removed here since, and still there
  std::vector<std::string> notes;             ///< labels of versions that have our note there now
  std::vector<std::string> notesElsewhere;    ///< edited on both sides since; they stay
  std::vector<std::string> notesEditedThere;  ///< edited there alone: to be pulled
  /// Labels of versions that may be there with other permission bits of their files. Each keeps
  /// its own: whoever pushed a version first decides what the remote has.
  std::vector<std::string> modesElsewhere;
};

struct PushReport : PushRemarks {
  struct Item {
    VersionEntry version;
    std::uint32_t remoteNumber = 0;
    std::uint64_t sentBytes = 0;  ///< of objects that this version brought along
    /// No name leads to it there: others are differences to it.
    bool isNameless = false;
  };
  /// A version that has a lower number there than its parent of the same name.
  struct Turned {
    std::string version;  ///< as the remote numbers it
    std::string parent;
  };
  /// A version that has another number there than it had here.
  struct Renumbered {
    VersionEntry version;  ///< as it was called here
    std::uint32_t remoteNumber = 0;
    std::optional<Digest> other = {};  ///< the content that has its number there
    bool isHereToo = false;            ///< it has the new number here, too, since this push
    std::string there() const { return version.name + ":v" + std::to_string(remoteNumber); }
  };
  /// A tag that moved there, or came to a version that was there.
  struct Tag {
    std::string tag;   ///< "sst2:prod"
    std::string from;  ///< the version that had it there, as the remote numbers it; empty: none
    std::string to;    ///< the version that has it
  };
  /// The plain files that a push asked for.
  struct Plain {
    std::string version;  ///< as the remote numbers it
    std::size_t fileCount = 0;
    std::uint64_t byteCount = 0;
    std::uint64_t sentBytes = 0;            ///< of those that were not there
    std::vector<std::string> leftOut = {};  ///< paths that the remote's own layout takes
  };
  std::vector<Item> pushed;  ///< now listed on the remote
  std::vector<VersionEntry> alreadyThere;
  /// Labels of versions that are listed there again, or now with all their objects; of tags.
  std::vector<std::string> mended;
  bool objectsAsked = true;            ///< whether objects of versions there were looked for
  std::string olderList = {};          ///< olderListText; empty once the list was mended
  bool listMended = false;             ///< the list went back or could not be read: written anew
  std::vector<FailedTransfer> failed;  ///< also numbers taken by other content
  std::vector<Turned> turned;          ///< by new numbers of this push
  std::vector<Renumbered> renumbered;  ///< of those that are there by now
  std::vector<LeftOutBase> leftOut;    ///< bases that stay out, of versions that went
  std::vector<Tag> tags;
  std::uint64_t packCount = 0;  ///< sent, or that would be
  std::uint64_t manifestCount = 0;
  std::uint64_t byteCount = 0;
  std::uint64_t skippedBytes = 0;  ///< of objects that are there
  std::optional<Plain> plain;
  std::string plainStanding;  ///< whose plain files are there if not asked for; empty: none
  bool refsAreAtomic = true;  ///< false: the remote cannot keep two pushers apart
};

/// Sends versions, and the parents that the remote lacks: objects first, then all refs at once.
/// What is there with its size is not sent again; what versions that are listed there lack is. A
/// version whose objects could not be sent is left out and
/// reported, plain files under "plain files of NAME:vN". Fails with NotFound or InvalidArgument
/// (references), NotFound or CorruptData (checkStillThere), Network, LoginRequired, Cancelled, and
/// with the cause if nothing at all could be sent.
Result<PushReport> pushVersions(Store& store, Transport& remote, const PushOptions& options,
                                std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
