#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// Form of remotes, and of an index where nobody has deleted objects.
inline constexpr int kIndexFormat = 1;
/// Form of an index where somebody has. Programs that do not know it would count on objects that
/// go, and forget the count.
inline constexpr int kSweptIndexFormat = 2;
/// Form of a list of a folder or bucket whose refs are in pages (core/transfer/ref_pages.h),
/// whether or not somebody has deleted objects. Its `refs` are there and empty, so that earlier
/// programs say that it is new.
inline constexpr int kPagedIndexFormat = 3;

/// All refs of a remote in one document, for places that can replace one file at a time:
/// `{"format":1,"refs":{NAME:REF,…}}`, REF being the ref's JSON object.
///
/// Who deletes objects says so here first: `,"sweep":{"count":N,"doomed":[SHA-256,…]}` follows the
/// refs, and the format is 2 from then on. N grows with each sweep; `doomed` is empty again once it
/// is over.
///
/// Who mends the list says so, too: `,"mended":N` follows, N being RefPush::above. Earlier programs
/// pass over it, and leave it out of the next list. So they do with `,"unseen":[N,…]` and
/// `,"id":"IDENTITY"`, which follow.
struct RefIndex {
  std::map<std::string, RefText> refs;
  std::uint64_t sweepCount = 0;
  std::set<Digest> doomed = {};  ///< objects that somebody is deleting
  /// What `refs` were read from, in the order of their names; none: it was one file.
  std::vector<RefPage> pages = {};
  /// The list was mended last with a number above this one, by a store that may not have seen the
  /// newest list before that. 0: never.
  std::uint64_t mendedAbove = 0;
  /// That the list was written with. 0: it does not say.
  std::uint64_t number = 0;
  /// Of the remote: 32 hex digits, drawn when the remote was made and the same in all its lists. A
  /// place that was emptied and made a remote anew gets another one. Empty: it has none yet.
  std::string identity = {};
  /// Numbers of lists that could not be read when the list was mended, by a store that had not seen
  /// them: what they alone named may be needed. A number goes once a store that saw that list has
  /// pushed, or once a user lets go of what it named.
  std::set<std::uint64_t> unseen = {};
  /// The lists that this one descends from: each was made of the one before, by somebody who had
  /// read it or seen it whole. What one of them had and this one lacks was taken off. The newest
  /// first, at most kMaxBefore. Nothing: an earlier program wrote the list.
  std::optional<std::vector<ListStamp>> follows = {};
  std::string check = {};  ///< ListStamp::check of the text that it was read from or written as

  /// Sweeps that are over: what is found to be there after one that goes on may still go.
  std::uint64_t endedSweeps() const noexcept {
    return doomed.empty() ? sweepCount : sweepCount - 1;
  }

  /// Whether objects may have gone, or may go, since refs were read that said `count` of ended
  /// ones.
  bool isSweptSince(std::uint64_t count) const noexcept {
    return sweepCount != count || !doomed.empty();
  }

  /// Whether all changes of a push are made already.
  bool says(std::span<const RefUpdate> updates) const;

  /// Makes the changes of a push; a ref that says the new text already is fine. False, with nothing
  /// changed, if another says neither that nor what was expected, or the refs are not `before`.
  bool apply(std::span<const RefUpdate> updates,
             const std::optional<std::map<std::string, RefText>>& before = {});
};

/// Most bytes of an index, and thereby of all that a remote lists: a version of a large model is
/// some 5 kB, a tag 200 bytes. A reader takes some four times as much memory. The number of refs
/// (kMaxRefs) bounds those that say nothing.
inline constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxRefs = std::size_t{1} << 18U;
/// Most numbers in RefIndex::unseen: the oldest go.
inline constexpr std::size_t kMaxUnseen = 64;
/// Most pages of one list.
inline constexpr std::size_t kMaxPages = 4096;
/// Most bytes of one member of the document, before it is parsed: values can take 30 times as much.
inline constexpr std::size_t kMaxMemberBytes = 4 * kMaxRefBytes;

/// Names sorted, a line for each ref: good to look at and to compare. Fails with InvalidArgument,
/// naming the limit, where parseRefIndex would refuse it.
Result<std::string> serializeRefIndex(const RefIndex& index);
/// The same for a place that counts its lists: it says this number, and ends with the hash of all
/// before that, as the head of a list in pages does.
Result<std::string> serializeNumbered(const RefIndex& index, std::uint64_t number);

/// `what` names the document. Fails with CorruptData or FormatTooNew.
Result<RefIndex> parseRefIndex(std::string_view text, std::string_view what);

/// The refs of an index that serializeRefIndex has written here, with no sweep: a line for each.
/// Takes a tenth of the time. Fails with CorruptData where it is anything else.
Result<std::map<std::string, RefText>> parseRefLines(std::string_view text, std::string_view what);

/// ListStamp::check of what serializeNumbered or serializeRefHead wrote.
std::string stampOf(std::string_view written);

/// Draws one: RefIndex::identity.
std::string makeIdentity();

/// The head of a list in pages; `index` says which. Its refs are not looked at. It ends with the
/// hash of all before that: one flipped bit could make it another list.
std::string serializeRefHead(const RefIndex& index);
/// As parseRefIndex, for places that know pages: of the head of a list in pages the refs are empty,
/// and the pages have no names.
Result<RefIndex> parseRefHead(std::string_view text, std::string_view what);
/// The refs of a page. Fails with CorruptData if it is another one or its names are not in order.
Result<std::map<std::string, RefText>> parseRefPage(std::string_view text, const RefPage& page,
                                                    std::string_view what);

}  // namespace strata
