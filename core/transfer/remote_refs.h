#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/transfer/list_stamps.h"
#include "core/transfer/remote_object.h"

namespace strata {

/// What a ref says: one JSON object in canonical form (keys sorted, no blanks), so that equal refs
/// are equal texts. core/transfer/remote_version.h gives it a meaning.
using RefText = std::string;

/// Most bytes of one ref's text.
inline constexpr std::size_t kMaxRefBytes = std::size_t{1} << 20U;

/// A part of a long list (core/transfer/ref_pages.h): refs whose names follow each other, kept
/// under their hash, so that a push writes only the parts that it changes.
struct RefPage {
  std::uint64_t number = 0;  ///< of the list that it was written for; 0: not known
  Digest digest;
  std::uint64_t byteCount = 0;
  std::string first = {};  ///< the first of its names; empty until it is read
};

/// All refs of a remote at one time. Names are paths of two or three words: "sst2/v2",
/// "sst2/tags/prod". They and the texts come from the remote: nothing about them is checked.
struct RefListing {
  std::map<std::string, RefText> refs;
  std::string revision;           ///< a commit, a generation; may be empty
  std::uint64_t endedSweeps = 0;  ///< RefIndex::endedSweeps
  /// Nobody has pushed there yet, or all of it is gone: a push would make the remote.
  bool isNew = false;
  /// Number of the list: folders and buckets count theirs up from 1. 0: there is no list, or this
  /// kind of remote counts none.
  std::uint64_t generation = 0;
  /// Parts that it was read from; none: it was one file. For Transport::know.
  std::vector<RefPage> pages = {};
  /// The server's ETag of these bytes, or a hash of them: while the list has it, it says the same.
  /// May be empty.
  std::string etag = {};
  /// Of Transport::salvageRefs: number of the newest list where that cannot be read; else 0.
  std::uint64_t unreadable = 0;
  std::set<std::uint64_t> passed = {};  ///< of salvageRefs: all newer ones that cannot be read
  std::uint64_t mendedAbove = 0;        ///< RefIndex::mendedAbove
  std::string identity = {};            ///< RefIndex::identity
  std::set<std::uint64_t> unseen = {};  ///< RefIndex::unseen
  std::optional<std::vector<ListStamp>> follows = {};  ///< RefIndex::follows
  std::string check = {};                              ///< RefIndex::check; empty: not known
  /// Kept by a store, no remote says it: those of `unseen` that the store saw, and all of whose
  /// versions were listed again later. Its next push takes them off.
  std::set<std::uint64_t> found = {};
  /// Kept by a store, no remote says it: contents that it took off the list itself. What they alone
  /// need there may go, also while they are here.
  std::set<Digest> takenOff = {};
  /// Number of the list that a store saw last, where another one stands under it (noteReplaced); 0:
  /// none.
  std::uint64_t replaced = 0;
  /// Two remotes lie there: the list before this one, or one that a store knows, is of another.
  bool isMixed = false;
  /// Number of the list that a store saw last, where what lies under it shows that it is that list,
  /// also if it cannot be read (noteReplaced). 0: nobody can tell.
  std::uint64_t confirmed = 0;
  /// Kept by a store, no remote says it: versions that it saw and that are not listed any more.
  /// Nobody can tell whether they were taken off or lost, since too many lists came between.
  std::map<std::string, RefText> missing = {};
};

/// The same after one push, as far as its number goes: at least one above the list, or above
/// `above`.
inline RefListing nextListing(RefListing listing, std::uint64_t above = 0) {
  if (listing.generation > 0 || above > 0) {
    listing.generation = std::max(listing.generation, above) + 1;
  }
  if (above > 0) listing.mendedAbove = above;
  listing.unreadable = 0;
  listing.passed.clear();
  listing.etag.clear();
  listing.check.clear();
  listing.revision.clear();  // not known yet
  return listing;
}

/// The text of a RefUpdate that takes the ref away. No ref says it.
inline constexpr const char* kRemovedRef = R"({"kind":"removed"})";

/// A change of one ref. It happens only if the ref says `expected` until then.
struct RefUpdate {
  std::string name;
  std::optional<RefText> expected;         ///< nothing: there is no such ref
  RefText text;                            ///< as `expected`: the ref has to stay as it is
  std::vector<RemoteObject> objects = {};  ///< all that the ref needs, the manifest first
};

}  // namespace strata
