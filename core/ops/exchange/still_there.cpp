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
bool lacksNames(const RefListing& kept, const RefListing& listing) {
  return lacksVersions(kept, listing) ||
         std::any_of(kept.refs.begin(), kept.refs.end(),
                     [&](const Ref& ref) { return !listing.refs.contains(ref.first); });
}

/// Whether anything of `kept` is missing, or says something else than it did, and not since.
bool lacksAny(const RefListing& kept, const RefListing& listing) {
  return std::any_of(kept.refs.begin(), kept.refs.end(), [&](const Ref& ref) {
    const auto there = listing.refs.find(ref.first);
    if (there == listing.refs.end()) return true;
    if (!isTag(ref)) return !saysTheVersion(ref, there->second, true);
    return !saysTheTag(ref, *there) && !isTagMovedSince(ref, *there);
  });
}

bool wasMended(const RefListing& kept, const RefListing& listing) {
  return listing.mendedAbove == kept.generation || listing.unseen.contains(kept.generation);
}

/// Whether who mended the list had not seen the one that is kept.
bool isMendedBelow(const RefListing& kept, const RefListing& listing) {
  return listing.mendedAbove > 0 && listing.mendedAbove <= kept.generation;
}

/// Who mended a list that could not be read may not have seen it.
std::string lostByMending(const RefListing& kept, const RefListing& listing) {
  if (!wasMended(kept, listing) || !lacksNames(kept, listing)) return {};
  return fmt::format(
      "its list of versions was mended since, and lacks some that list {} had when it was last "
      "asked; a store mended it that had not seen them, or they were removed since",
      kept.generation);
}

std::string replacedText(const RefListing& kept) {
  return fmt::format(
      "its list {} says something else than when it was last asked; the one that this store saw "
      "was lost, and others have pushed since",
      kept.generation);
}

/// Of a list with a higher number.
std::string wayOn(const RefListing& kept, const RefListing& listing) {
  switch (descentOf(kept, listing)) {
    case ListDescent::Follows:
      return {};
    case ListDescent::Lost:
      if (wasMended(kept, listing)) return lostByMending(kept, listing);
      // Tags and notes of a list that was mended are not taken for newer (agreed_tags.h).
      if (isMendedBelow(kept, listing)) {
        return lacksVersions(kept, listing) ? replacedText(kept) : std::string();
      }
      return lacksAny(kept, listing) ? replacedText(kept) : std::string();
    case ListDescent::Unknown:
    case ListDescent::Untold:
      break;
  }
  const bool isReplaced = listing.replaced == kept.generation && lacksVersions(kept, listing);
  return isReplaced ? replacedText(kept) : lostByMending(kept, listing);
}

}  // namespace

ListDescent descentOf(const RefListing& seen, const RefListing& listing) {
  if (seen.check.empty() || listing.check.empty()) return ListDescent::Untold;
  const ListStamp stamp{seen.generation, seen.check};
  if (stamp == ListStamp{listing.generation, listing.check}) return ListDescent::Follows;
  if (listing.generation <= seen.generation) return ListDescent::Lost;
  if (!listing.follows) return ListDescent::Untold;
  const std::vector<ListStamp>& before = *listing.follows;
  if (std::find(before.begin(), before.end(), stamp) != before.end()) return ListDescent::Follows;
  const bool isReached = !before.empty() && before.back().number <= seen.generation;
  return isReached ? ListDescent::Lost : ListDescent::Unknown;
}

bool lacksVersions(const RefListing& kept, const RefListing& listing) {
  return std::any_of(kept.refs.begin(), kept.refs.end(), [&](const Ref& ref) {
    if (isTag(ref)) return false;
    const auto there = listing.refs.find(ref.first);
    return there == listing.refs.end() || !saysTheVersion(ref, there->second, false);
  });
}

std::string olderListText(const RefListing& listing, const std::optional<RefListing>& known) {
  if (!known || listing.isNew || listing.generation == 0) return {};
  if (isOtherRemote(known->identity, listing)) {
    return "it is another remote than the one that was last asked: it was deleted and made anew; "
           "nothing of it is missing, and tags and notes that differ count as moved on both sides";
  }
  if (descentOf(*known, listing) == ListDescent::Unknown && lacksVersions(*known, listing)) {
    return fmt::format(
        "it lacks versions that it had when it was last asked, with list {}; its list {} is so "
        "much newer that nobody can tell whether they were removed or lost",
        known->generation, listing.generation);
  }
  if (listing.generation >= known->generation) return {};
  return fmt::format(
      "its list of versions has number {}, and had {} when it was last asked; nothing of it is "
      "missing, so the list was made anew there, or an older copy put back",
      listing.generation, known->generation);
}

std::string mixedText(const RefListing& listing) {
  return listing.isMixed ? fmt::format(
                               "two remotes lie there: list {} is of another one than the list "
                               "before it, so one was copied into the place of the other",
                               listing.generation)
                         : std::string();
}

Result<void> checkStillThere(const std::optional<RefListing>& known, const std::string& url,
                             const RefListing& listing) {
  if (!known && listing.isMixed) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: {}; push --repair from a store that used the other one brings "
                            "back what it listed, fetch --accept-older takes what is listed now",
                            url, mixedText(listing)));
  }
  if (!known) return {};
  if (listing.isNew) {
    const std::size_t count = RemoteLibrary::from(*known).versions.size();
    if (count == 0) return {};
    return fail(
        ErrorCode::NotFound,
        fmt::format(
            "{}: no remote is there, and it listed {} when it was last asked; it was deleted, or "
            "its share is not mounted; push --create makes it anew",
            url, wordCount(count, "version")));
  }
  const std::string why = wayBack(*known, listing);
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
bool isAskedFor(const RefListing& known, const RefListing& listing) {
  if (known.generation == 0 || listing.generation <= known.generation) return false;
  if (isOtherRemote(known.identity, listing)) return true;
  const ListDescent descent = descentOf(known, listing);
  const bool isTold = descent == ListDescent::Follows || descent == ListDescent::Lost;
  return !isTold && lacksVersions(known, listing);
}

/// RefListing::confirmed, where somebody could not read the list of that number.
Result<std::uint64_t> confirmedList(Transport& remote, const RefListing& known,
                                    const RefListing& listing, const std::stop_token& stop) {
  if (!isSeenInDoubt(known, listing)) return 0;
  const auto bytes = remote.listBytes(known.generation, stop);
  if (!bytes && bytes.error().code == ErrorCode::Cancelled) return fail(bytes.error());
  const bool isIt = bytes && *bytes && isListSeen(known, listing, **bytes);
  return isIt ? known.generation : 0;
}

}  // namespace

Result<void> noteReplaced(Transport& remote, const std::optional<RefListing>& known,
                          RefListing& listing, const std::stop_token& stop) {
  if (!known) return {};
  // It is the one that this store uses: whatever else lies there, nothing of that was used.
  if (!listing.identity.empty() && known->identity == listing.identity) listing.isMixed = false;
  STRATA_TRY(listing.confirmed, confirmedList(remote, *known, listing, stop));
  if (!isAskedFor(*known, listing)) return {};
  STRATA_TRY(const auto there, remote.listOf(known->generation, stop));
  if (!there) return {};
  const bool isOther = isOtherRemote(known->identity, listing);
  listing.isMixed = listing.isMixed || (isOther && there->identity == known->identity);
  if (!isOther && lacksVersions(*known, *there)) listing.replaced = known->generation;
  return {};
}

std::map<std::string, RefText> missingIn(const std::optional<RefListing>& known,
                                         const RefListing& listing) {
  if (!known) return {};
  std::map<std::string, RefText> missing = known->missing;
  if (descentOf(*known, listing) == ListDescent::Unknown && lacksVersions(*known, listing)) {
    for (const Ref& ref : known->refs) {
      if (!isTag(ref)) missing.insert(ref);
    }
  }
  if (missing.empty()) return {};
  const RemoteLibrary library = RemoteLibrary::from(listing);
  std::erase_if(missing, [&](const Ref& ref) {
    const auto version = parseRemoteVersion(ref.first, ref.second);
    return !version || library.withContent(version->ref.contentDigest) != nullptr ||
           listing.takenOff.contains(version->ref.contentDigest) ||
           known->takenOff.contains(version->ref.contentDigest);
  });
  return missing;
}

std::string wayBack(const RefListing& kept, const RefListing& listing) {
  if (listing.isMixed && isOtherRemote(kept.identity, listing)) {
    return "it lists another remote than the one that was last asked, lists of which are there "
           "still; others copied that remote into its place";
  }
  if (listing.isMixed) return mixedText(listing);
  if (kept.generation == 0) return {};
  if (isOtherRemote(kept.identity, listing)) {
    if (!lacksNames(kept, listing)) return {};
    return fmt::format(
        "it is another remote than the one that was last asked: it was deleted and made anew, and "
        "lacks some that list {} had",
        kept.generation);
  }
  if (listing.generation > kept.generation) return wayOn(kept, listing);
  const bool isLower = listing.generation < kept.generation;
  const auto isThere = [&](const auto& ref) {
    const auto found = listing.refs.find(ref.first);
    if (found == listing.refs.end()) return false;
    return found->second == ref.second || (isLower && isTagMovedSince(ref, *found));
  };
  if (std::all_of(kept.refs.begin(), kept.refs.end(), isThere)) return {};
  if (isLower) {
    return fmt::format(
        "its list of versions has number {}, and had {} when it was last asked; the "
        "newest list was lost, or an older copy put back",
        listing.generation, kept.generation);
  }
  return fmt::format(
      "its list of versions has number {}, as when it was last asked, and says "
      "something else; it is damaged, or an older copy was put back and pushed to",
      listing.generation);
}

}  // namespace strata
