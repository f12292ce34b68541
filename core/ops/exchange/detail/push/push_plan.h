#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ops/detail/described_version.h"
#include "core/ops/exchange/push_versions.h"
#include "core/transfer/signature_pack.h"

namespace strata {

/// A version on its way out.
struct PlannedPush {
  VersionEntry entry;
  RemoteVersion version;  ///< as the remote will list it
  /// What it says of the version now, if it has it without a name.
  std::optional<RefText> replaces;
};

/// A tag that a push puts on a version there, or moves to it.
struct PlannedTag {
  RefUpdate update;
  std::string version;                       ///< the version's ref
  std::optional<PushReport::Tag> said = {};  ///< nothing where it comes with its version
};

/// A version that the remote lists already, and whose objects have to be there.
struct VersionThere {
  RemoteVersion version;
  std::string label;  ///< as a report calls it
};

/// A version that is there already.
struct VersionMet {
  VersionEntry entry;
  std::string labelThere;
};

/// What a push will do, given what the remote lists.
struct PushPlan : PushRemarks {
  std::vector<PlannedPush> items;  ///< parents before their differences
  std::vector<PlannedTag> tags;
  std::vector<VersionMet> alreadyThere;
  /// Whose objects have to be there: parents of `items` that the remote has, and `alreadyThere`
  /// with their parents, but not where all versions are pushed and some are new.
  std::vector<VersionThere> there;
  std::vector<FailedTransfer> failed;
  std::set<std::string> taken;  ///< labels of those of `failed` whose numbers others have there
  std::vector<PushReport::Turned> turned;
  std::vector<PushReport::Renumbered> renumbered;
  /// Labels there of versions that cannot be mended, as nobody has what they or their parents need.
  std::set<std::string> lostThere;
  std::vector<LeftOutBase> leftOut;
  std::set<std::string> told;  ///< refs of `changed` that say something new and had no damage
  RefListing listing;          ///< the remote's, as it is to be before `items`
  /// Refs of `listing` that say something else on the remote: see MendedList.
  std::map<std::string, std::optional<RefText>> changed;
  /// Versions there whose signatures leave the list with this push (signature_moves.h).
  std::vector<RefUpdate> moves;
  SignaturePacks signatures;               ///< to send before the refs
  std::set<Digest> damagedSignatures;      ///< of those: are there with other bytes
  std::vector<std::string> resigned;       ///< labels there whose signatures are sent again
  std::optional<std::uint64_t> above;      ///< RefPush::above, but for `lastSeen`
  std::uint64_t lastSeen = 0;              ///< as MendedList has it
  std::string identity = {};               ///< RefPush::identity
  std::set<std::uint64_t> unseen = {};     ///< RefPush::unseen, where nothing fails
  std::set<std::uint64_t> seenLists = {};  ///< RefPush::seenLists

  std::vector<ListStamp> follows = {};         ///< RefPush::follows, where nothing fails
  std::vector<std::string> notesInDoubt = {};  ///< as MendedList has them

  /// Those of `tags` whose versions are or will be there.
  std::vector<const PlannedTag*> tagsToSend() const;
  /// Those of `items`, and the tags of versions that are or will be there; then the refs that have
  /// to stay, of `there` and of tags, with those of their objects that were sent again, `mended`.
  std::vector<RefUpdate> updates(const std::set<Digest>& mended) const;
  RefListing listingAfter() const;
  /// RefPush::unseen. Of what could not be brought back nothing is to go either.
  std::set<std::uint64_t> unseenLists() const {
    std::set<std::uint64_t> lists = unseen;
    if (listing.unreadable > 0 && !failed.empty()) lists.insert(listing.unreadable);
    return lists;
  }
  /// RefPush::follows.
  std::vector<ListStamp> listsFollowed() const {
    return failed.empty() ? follows : std::vector<ListStamp>{};
  }
  /// RefPush::above.
  std::optional<std::uint64_t> aboveNumber() const;

  /// Leaves changed refs as they are on the remote, and with them those that stand on them; these
  /// become failures.
  void leaveUnchanged(const std::set<std::string>& names);
};

/// The versions that the options name. Fails with NotFound or InvalidArgument.
Result<std::vector<VersionEntry>> versionsNamed(const Store& store, const PushOptions& options);

/// Those, with the parents of each, parents first. Parents that were removed here are among them:
/// they go without their names, where the remote lacks their contents. Fails with CorruptData or
/// Io.
Result<std::vector<VersionEntry>> versionsToPush(const Store& store,
                                                 const std::vector<VersionEntry>& named,
                                                 const PushOptions& options);

/// Compares the versions with a remote's refs. Fails with CorruptData, NotFound (a ref or manifest
/// of this store), Io.
Result<PushPlan> planPush(const Store& store, const std::vector<VersionEntry>& versions,
                          const RefListing& listing, const PushOptions& options);

}  // namespace strata
