#include "core/ops/exchange/still_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/seen_lists.h"
#include "core/text/wording.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

using Ref = std::map<std::string, RefText>::value_type;

bool isTag(const Ref& ref) {
  const auto parts = parseRefName(ref.first);
  return parts && parts->isTag();
}

bool isTagMovedSince(const Ref& before, const Ref& now) {
  const auto old = parseRemoteTag(before.first, before.second);
  const auto tag = parseRemoteTag(now.first, now.second);
  return old && tag && tag->taggedAt > old->taggedAt;
}

/// A text that cannot be read stands for itself.
bool saysTheVersion(const Ref& ref, const RefText& there, bool isNoteCounted) {
  if (ref.second == there) return true;
  const auto one = parseRemoteVersion(ref.first, ref.second);
  const auto other = parseRemoteVersion(ref.first, there);
  return one && other && one->ref.contentDigest == other->ref.contentDigest &&
         (!isNoteCounted || one->ref.note == other->ref.note);
}

bool saysTheTag(const Ref& before, const Ref& now) {
  const auto old = parseRemoteTag(before.first, before.second);
  const auto tag = parseRemoteTag(now.first, now.second);
  return before.second == now.second || (old && tag && old->number == tag->number);
}

/// Whether versions are missing, or names of tags.
bool lacksNames(const RefListing& former, const RefListing& listing) {
  return lacksVersions(former, listing) ||
         std::any_of(former.refs.begin(), former.refs.end(),
                     [&](const Ref& ref) { return !listing.refs.contains(ref.first); });
}

/// Whether anything of `former` is missing, or says something else than it did, and not since.
bool lacksAny(const RefListing& former, const RefListing& listing) {
  return std::any_of(former.refs.begin(), former.refs.end(), [&](const Ref& ref) {
    const auto there = listing.refs.find(ref.first);
    if (there == listing.refs.end()) return true;
    if (!isTag(ref)) return !saysTheVersion(ref, there->second, true);
    return !saysTheTag(ref, *there) && !isTagMovedSince(ref, *there);
  });
}

bool wasMended(const RefListing& former, const RefListing& listing) {
  return listing.mendedAbove == former.generation || listing.unseen.contains(former.generation);
}

/// Whether who mended the list had not seen the one that is kept.
bool isMendedBelow(const RefListing& former, const RefListing& listing) {
  return listing.mendedAbove > 0 && listing.mendedAbove <= former.generation;
}

/// Who mended a list that could not be read may not have seen it.
std::string lostByMending(const RefListing& former, const RefListing& listing) {
  if (!wasMended(former, listing) || !lacksNames(former, listing)) return {};
  return fmt::format(
      "its list of versions was mended since, and lacks some that list {} had when it was last "
      "asked; a store mended it that had not seen them, or they were removed since",
      former.generation);
}

std::string replacedText(const RefListing& former) {
  return fmt::format(
      "its list {} says something else than when it was last asked; the one that this store saw "
      "was lost, and others have pushed since",
      former.generation);
}

/// Of a list with a higher number.
std::string wayOn(const RefListing& former, const RefListing& listing) {
  switch (descentOf(former, listing)) {
    case ListDescent::Follows:
      return {};
    case ListDescent::Lost:
      if (wasMended(former, listing)) return lostByMending(former, listing);
      // Tags and notes of a list that was mended are not taken for newer (agreed_tags.h).
      if (isMendedBelow(former, listing)) {
        return lacksVersions(former, listing) ? replacedText(former) : std::string();
      }
      return lacksAny(former, listing) ? replacedText(former) : std::string();
    case ListDescent::Unknown:
    case ListDescent::Untold:
      break;
  }
  const bool isReplaced = listing.replaced == former.generation && lacksVersions(former, listing);
  return isReplaced ? replacedText(former) : lostByMending(former, listing);
}

}  // namespace

ListDescent descentOf(const RefListing& former, const RefListing& listing) {
  if (former.check.empty() || listing.check.empty()) return ListDescent::Untold;
  const ListStamp stamp{former.generation, former.check};
  if (stamp == ListStamp{listing.generation, listing.check}) return ListDescent::Follows;
  if (listing.generation <= former.generation) return ListDescent::Lost;
  if (!listing.follows) return ListDescent::Untold;
  const std::vector<ListStamp>& before = *listing.follows;
  if (std::find(before.begin(), before.end(), stamp) != before.end()) return ListDescent::Follows;
  const bool isReached = !before.empty() && before.back().number <= former.generation;
  return isReached ? ListDescent::Lost : ListDescent::Unknown;
}

bool lacksVersions(const RefListing& former, const RefListing& listing) {
  return std::any_of(former.refs.begin(), former.refs.end(), [&](const Ref& ref) {
    if (isTag(ref)) return false;
    const auto there = listing.refs.find(ref.first);
    return there == listing.refs.end() || !saysTheVersion(ref, there->second, false);
  });
}

std::string olderListText(const RefListing& listing, const std::optional<RefListing>& former) {
  if (!former || listing.isNew || listing.generation == 0) return {};
  if (isOtherRemote(former->identity, listing)) {
    return "it is another remote than the one that was last asked: it was deleted and made anew; "
           "nothing of it is missing, and tags and notes that differ count as moved on both sides";
  }
  if (descentOf(*former, listing) == ListDescent::Unknown && lacksVersions(*former, listing)) {
    return fmt::format(
        "it lacks versions that it had when it was last asked, with list {}; its list {} is so "
        "much newer that nobody can tell whether they were removed or lost",
        former->generation, listing.generation);
  }
  if (listing.generation >= former->generation) return {};
  return fmt::format(
      "its list of versions has number {}, and had {} when it was last asked; nothing of it is "
      "missing, so the list was made anew there, or an older copy put back",
      listing.generation, former->generation);
}

std::string mixedText(const RefListing& listing) {
  return listing.isMixed ? fmt::format(
                               "two remotes lie there: list {} is of another one than the list "
                               "before it, so one was copied into the place of the other",
                               listing.generation)
                         : std::string();
}

Result<void> checkStillThere(const std::optional<RefListing>& former, const std::string& url,
                             const RefListing& listing) {
  if (!former && listing.isMixed) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: {}; push --repair from a store that used the other one brings "
                            "back what it listed, fetch --accept-older takes what is listed now",
                            url, mixedText(listing)));
  }
  if (!former) return {};
  if (listing.isNew) {
    const std::size_t count = RemoteLibrary::from(*former).versions.size();
    if (count == 0) return {};
    return fail(
        ErrorCode::NotFound,
        fmt::format(
            "{}: no remote is there, and it listed {} when it was last asked; it was deleted, or "
            "its share is not mounted; push --create makes it anew",
            url, wordCount(count, "version")));
  }
  const std::string why = wayBack(*former, listing);
  if (why.empty()) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: {}; push --repair brings back what is lost, fetch --accept-older "
                          "takes what it lists now",
                          url, why));
}

Result<void> checkIsMade(const std::string& url, const RefListing& listing) {
  if (!listing.isNew) return {};
  return fail(ErrorCode::NotFound,
              url + ": no remote is there; nobody has pushed, or its share is not mounted");
}

namespace {

/// Whether the list that was seen last may lie there still, and say something.
bool isAskedFor(const RefListing& former, const RefListing& listing) {
  if (former.generation == 0 || listing.generation <= former.generation) return false;
  if (isOtherRemote(former.identity, listing)) return true;
  const ListDescent descent = descentOf(former, listing);
  const bool isTold = descent == ListDescent::Follows || descent == ListDescent::Lost;
  return !isTold && lacksVersions(former, listing);
}

/// RefListing::confirmed, where somebody could not read the list of that number.
Result<std::uint64_t> confirmedList(Transport& remote, const RefListing& former,
                                    const RefListing& listing, const std::stop_token& stop) {
  if (!isSeenInDoubt(former, listing)) return 0;
  const auto bytes = remote.listBytes(former.generation, stop);
  if (!bytes && bytes.error().code == ErrorCode::Cancelled) return fail(bytes.error());
  const bool isIt = bytes && *bytes && isListSeen(former, listing, **bytes);
  return isIt ? former.generation : 0;
}

}  // namespace

Result<void> noteReplaced(Transport& remote, const std::optional<RefListing>& former,
                          RefListing& listing, const std::stop_token& stop) {
  if (!former) return {};
  // It is the one that this store uses: whatever else lies there, nothing of that was used.
  if (!listing.identity.empty() && former->identity == listing.identity) listing.isMixed = false;
  STRATA_TRY(listing.confirmed, confirmedList(remote, *former, listing, stop));
  if (!isAskedFor(*former, listing)) return {};
  STRATA_TRY(const auto there, remote.listOf(former->generation, stop));
  if (!there) return {};
  const bool isOther = isOtherRemote(former->identity, listing);
  listing.isMixed = listing.isMixed || (isOther && there->identity == former->identity);
  if (!isOther && lacksVersions(*former, *there)) listing.replaced = former->generation;
  return {};
}

std::map<std::string, RefText> missingIn(const std::optional<RefListing>& former,
                                         const RefListing& listing) {
  if (!former) return {};
  std::map<std::string, RefText> missing = former->missing;
  if (descentOf(*former, listing) == ListDescent::Unknown && lacksVersions(*former, listing)) {
    for (const Ref& ref : former->refs) {
      if (!isTag(ref)) missing.insert(ref);
    }
  }
  if (missing.empty()) return {};
  const RemoteLibrary library = RemoteLibrary::from(listing);
  std::erase_if(missing, [&](const Ref& ref) {
    const auto version = parseRemoteVersion(ref.first, ref.second);
    return !version || library.withContent(version->ref.contentDigest) != nullptr ||
           listing.takenOff.contains(version->ref.contentDigest) ||
           former->takenOff.contains(version->ref.contentDigest);
  });
  return missing;
}

std::string wayBack(const RefListing& former, const RefListing& listing) {
  if (listing.isMixed && isOtherRemote(former.identity, listing)) {
    return "it lists another remote than the one that was last asked, lists of which are there "
           "still; others copied that remote into its place";
  }
  if (listing.isMixed) return mixedText(listing);
  if (former.generation == 0) return {};
  if (isOtherRemote(former.identity, listing)) {
    if (!lacksNames(former, listing)) return {};
    return fmt::format(
        "it is another remote than the one that was last asked: it was deleted and made anew, and "
        "lacks some that list {} had",
        former.generation);
  }
  if (listing.generation > former.generation) return wayOn(former, listing);
  const bool isLower = listing.generation < former.generation;
  const auto isThere = [&](const auto& ref) {
    const auto found = listing.refs.find(ref.first);
    if (found == listing.refs.end()) return false;
    return found->second == ref.second || (isLower && isTagMovedSince(ref, *found));
  };
  if (std::all_of(former.refs.begin(), former.refs.end(), isThere)) return {};
  if (isLower) {
    return fmt::format(
        "its list of versions has number {}, and had {} when it was last asked; the "
        "newest list was lost, or an older copy put back",
        listing.generation, former.generation);
  }
  return fmt::format(
      "its list of versions has number {}, as when it was last asked, and says "
      "something else; it is damaged, or an older copy was put back and pushed to",
      listing.generation);
}

}  // namespace strata
