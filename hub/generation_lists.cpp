#include "hub/generation_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "core/transfer/transfer_queue.h"

namespace strata::hub {
namespace {

/// Lists that are listed and not there were pushed past, so often.
constexpr int kAttempts = 8;
/// Who tries to write is passed by others, so often.
constexpr int kWriteAttempts = 200;

using PageKey = std::pair<std::uint64_t, Digest>;

PageKey keyOf(const RefPage& page) { return {page.number, page.digest}; }

std::set<PageKey> keysOf(const std::vector<RefPage>& pages) {
  std::set<PageKey> keys;
  for (const RefPage& page : pages) keys.insert(keyOf(page));
  return keys;
}

/// As parseRefHead. Fails with CorruptData where the list is a copy of another one.
Result<RefIndex> parseNumbered(std::string_view text, std::uint64_t number, std::string_view what) {
  STRATA_TRY(RefIndex head, parseRefHead(text, what));
  if (head.number == 0 || head.number == number) return head;
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: is a copy of the list with number {}", what, head.number));
}

constexpr std::string_view kTextTag = "sha256:";

std::string textTagOf(std::string_view text) {
  return std::string(kTextTag) + toHex(sha256(std::as_bytes(std::span(text))));
}

std::uint64_t highestOf(const std::vector<ListMark>& all) {
  return all.empty() ? 0 : all.back().number;
}

}  // namespace

/// Reads the newest list that counts.
class GenerationLists::Reading {
 public:
  Reading(ListPlace& place, const Seen& seen, Unreadable unreadable, const std::stop_token& stop)
      : place_(place), seen_(seen), unreadable_(unreadable), stop_(stop) {}

  enum class State { Read, Gone, Damaged };

  /// Of the newest of these lists that can be read; Gone: others pushed past it.
  Result<State> read(const std::vector<ListMark>& all, Found& found) {
    found = {.highest = highestOf(all)};
    for (auto mark = all.rbegin(); mark != all.rend(); ++mark) {
      if (isSeen(*mark)) {
        found.index = *seen_.index;
        found.wasKnown = true;
      } else {
        STRATA_TRY(const State state, readOne(*mark, found));
        if (state == State::Gone) return state;
        if (state == State::Damaged) {
          found.passed.insert(mark->number);
          continue;
        }
      }
      found.number = mark->number;
      found.etag = mark->etag;
      break;
    }
    fillGaps(found.index);
    // Who began to delete could not say any more that it ended.
    if (found.number != found.highest) found.index.doomed.clear();
    return State::Read;
  }

  const std::string& gone() const { return gone_; }

 private:
  /// Where refs of a damaged page belong: after one name and before another, empty for none.
  using Gap = std::pair<std::string, std::string>;

  bool isSeen(const ListMark& mark) const {
    return unreadable_ == Unreadable::Fails && seen_.index != nullptr && !mark.etag.empty() &&
           seen_.number == mark.number && seen_.etag == mark.etag && place_.etagsTell();
  }

  /// An error of a list, or nothing if it is passed over.
  Result<State> problem(Error error) const {
    const bool isOver = unreadable_ == Unreadable::Fails || error.code != ErrorCode::CorruptData;
    if (isOver) return fail(unreadableList(std::move(error)));
    return State::Damaged;
  }

  Result<State> readOne(const ListMark& mark, Found& found) {
    const std::string name = place_.nameOf(mark.number);
    auto text = place_.read(mark.number, stop_);
    if (!text) return problem(std::move(text).error());
    gone_ = name;
    if (!*text) return State::Gone;
    auto head = parseNumbered(**text, mark.number, name);
    if (!head) return problem(std::move(head).error());
    found.textTag = textTagOf(**text);
    found.index = *std::move(head);
    return found.index.pages.empty() ? State::Read : readPages(name, found.index);
  }

  static std::string whatOf(const std::string& list, const RefPage& page) {
    return fmt::format("{}: its page {}", list, pageName(page));
  }

  struct ReadPage {
    std::map<std::string, RefText> refs;
    bool isGone = false;
    std::optional<Error> damage;
  };

  Result<void> readPage(const std::string& list, const RefPage& page, ReadPage& read) const {
    if (auto known = seen_.pages.find(page); known && unreadable_ == Unreadable::Fails) {
      read.refs = *std::move(known);
      return {};
    }
    STRATA_TRY(const auto text, place_.readPage(page, stop_));
    const std::string what = whatOf(list, page);
    read.isGone = !text;
    if (!text) read.damage = Error{ErrorCode::CorruptData, what + " is not there"};
    if (!text) return {};
    auto refs = parseRefPage(*text, page, what);
    if (refs) {
      read.refs = *std::move(refs);
    } else if (refs.error().code == ErrorCode::CorruptData) {
      read.damage = std::move(refs).error();
    } else {
      return fail(std::move(refs).error());
    }
    return {};
  }

  Result<State> readPages(const std::string& list, RefIndex& index) {
    std::vector<ReadPage> pages(index.pages.size());
    const auto results = runTransfers(pages.size(), kParallelPages, stop_, [&](std::size_t i) {
      return readPage(list, index.pages[i], pages[i]);
    });
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (!results[i] && results[i].error().code != ErrorCode::CorruptData) {
        return fail(results[i].error());
      }
      if (!results[i]) pages[i].damage = results[i].error();
    }
    return join(list, index, pages);
  }

  Result<State> join(const std::string& list, RefIndex& index, std::vector<ReadPage>& pages) {
    std::optional<Error> damage;
    std::vector<Gap> gaps;
    bool isOpen = false;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      ReadPage& page = pages[i];
      const std::string last = index.refs.empty() ? std::string() : index.refs.rbegin()->first;
      if (!page.damage) {
        const auto added = addPage(index, i, std::move(page.refs), whatOf(list, index.pages[i]));
        if (!added) page.damage = added.error();
      }
      if (!page.damage) {
        if (isOpen) gaps.back().second = index.pages[i].first;
        isOpen = false;
        continue;
      }
      gone_ = whatOf(list, index.pages[i]);
      if (page.isGone && unreadable_ == Unreadable::Fails) return State::Gone;
      if (!damage) damage = page.damage;
      if (!isOpen) gaps.emplace_back(last, "");
      isOpen = true;
    }
    if (!damage) return State::Read;
    // The newest of them says more than an older list does.
    if (!partial_) {
      partial_ = std::exchange(index, {});
      partial_->pages.clear();
      gaps_ = std::move(gaps);
    }
    return problem(*std::move(damage));
  }

  /// What the newest list says in the pages that can be read counts; the rest is as it was before.
  void fillGaps(RefIndex& index) {
    if (!partial_) return;
    for (const Gap& gap : gaps_) {
      const auto end = gap.second.empty() ? index.refs.end() : index.refs.lower_bound(gap.second);
      for (auto ref = index.refs.upper_bound(gap.first); ref != end; ++ref) {
        partial_->refs.insert(*ref);
      }
    }
    // Nobody has read the newest one whole.
    partial_->follows = std::move(index.follows);
    partial_->check = std::move(index.check);
    index = *std::exchange(partial_, std::nullopt);
  }

  ListPlace& place_;
  const Seen& seen_;
  Unreadable unreadable_;
  const std::stop_token& stop_;
  std::string gone_;                 ///< what was listed and not there
  std::optional<RefIndex> partial_;  ///< of the newest list with a damaged page
  std::vector<Gap> gaps_;
};

GenerationLists::Seen GenerationLists::seen() {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void GenerationLists::know(const RefListing& listing) {
  if (listing.generation == 0) return;
  auto index = std::make_shared<const RefIndex>(RefIndex{.refs = listing.refs,
                                                         .sweepCount = listing.endedSweeps,
                                                         .pages = listing.pages,
                                                         .mendedAbove = listing.mendedAbove,
                                                         .identity = listing.identity,
                                                         .unseen = listing.unseen,
                                                         .follows = listing.follows,
                                                         .check = listing.check});
  Seen known{listing.generation, listing.etag, index, KnownPages::kept(index)};
  // Of a list whose pages are not known to the letter the head is read again.
  if (!known.pages.areAllKnown() || listing.check.empty()) known.etag.clear();
  const std::lock_guard lock(mutex_);
  if (!seen_.index) seen_ = std::move(known);
}

Result<std::vector<ListMark>> GenerationLists::marks(Unreadable unreadable,
                                                     const std::stop_token& stop) {
  const Seen before = seen();
  const bool isAll = unreadable == Unreadable::Passed || before.isMixed;
  const std::uint64_t known = isAll ? 0 : before.number;
  STRATA_TRY(std::vector<ListMark> all, place_.list(known, stop));
  const bool isThere =
      std::any_of(all.begin(), all.end(), [&](const ListMark& one) { return one.number == known; });
  if (known == 0 || isThere) return all;
  return place_.list(0, stop);
}

Result<GenerationLists::Found> GenerationLists::newest(Unreadable unreadable,
                                                       const std::stop_token& stop) {
  std::uint64_t last = 0;
  for (int attempt = 1;; ++attempt) {
    STRATA_TRY(const std::vector<ListMark> all, marks(unreadable, stop));
    const Seen before = seen();
    Found found;
    Reading reading(place_, before, unreadable, stop);
    STRATA_TRY(const Reading::State state, reading.read(all, found));
    if (state == Reading::State::Gone) {
      const bool isSame = std::exchange(last, highestOf(all)) == highestOf(all);
      // Pushed past and removed since it was listed; or lost.
      if (attempt < kAttempts && (!isSame || attempt < 3)) continue;
      return fail(
          unreadableList({ErrorCode::CorruptData, reading.gone() + " is listed and not there"}));
    }
    if (before.index == nullptr || before.isMixed) {
      STRATA_TRY(found.isMixed, isMixed(all, found, stop));
    }
    const bool isNew = found.number > 0 && found.number == found.highest && !found.wasKnown;
    if (isNew) remember(found.number, found.etag, found.index, found.isMixed);
    return found;
  }
}

Result<bool> GenerationLists::isMixed(const std::vector<ListMark>& all, const Found& found,
                                      const std::stop_token& stop) {
  const auto next = std::find_if(all.rbegin(), all.rend(),
                                 [&](const ListMark& one) { return one.number < found.number; });
  if (found.number == 0 || found.index.identity.empty() || next == all.rend()) return false;
  const auto text = place_.read(next->number, stop);
  if (!text && text.error().code != ErrorCode::CorruptData) return fail(text.error());
  if (!text || !*text) return false;
  const auto head = parseNumbered(**text, next->number, place_.nameOf(next->number));
  if (!head || head->identity.empty() || head->identity == found.index.identity) return false;
  const auto& before = found.index.follows;
  const ListStamp stamp{next->number, head->check};
  return !before || std::find(before->begin(), before->end(), stamp) == before->end();
}

void GenerationLists::remember(std::uint64_t number, std::string etag, RefIndex index,
                               bool isMixed) {
  auto kept = std::make_shared<const RefIndex>(std::move(index));
  const std::lock_guard lock(mutex_);
  seen_ = {number, std::move(etag), kept, KnownPages::read(kept), isMixed};
}

std::optional<RefIndex> GenerationLists::headOf(std::uint64_t number, const std::stop_token& stop) {
  const auto text = place_.read(number, stop);
  if (!text || !*text) return std::nullopt;
  auto head = parseNumbered(**text, number, place_.nameOf(number));
  return head ? std::optional(*std::move(head)) : std::nullopt;
}

void GenerationLists::prune(const std::vector<ListMark>& all, const std::vector<RefPage>& pages,
                            const std::stop_token& stop) {
  constexpr std::size_t kMostPruned = 1000;  // by one push; the next ones go on
  if (!pages.empty()) prunePages(all, pages, stop);
  for (std::size_t i = 0; i < std::min(all.size(), kMostPruned); ++i) {
    if (!isOutdated(all[i].number, highestOf(all))) return;
    // What stays too long does no harm.
    static_cast<void>(place_.remove(all[i].number, stop));
  }
}

void GenerationLists::prunePages(const std::vector<ListMark>& all,
                                 const std::vector<RefPage>& pages, const std::stop_token& stop) {
  const auto next = std::find_if(all.begin(), all.end(), [&](const ListMark& mark) {
    return !arePagesOutdated(mark.number, highestOf(all));
  });
  if (next == all.begin() || next == all.end()) return;
  const auto head = headOf(std::prev(next)->number, stop);
  if (!head || head->pages.empty()) return;
  const auto nextHead = headOf(next->number, stop);
  if (!nextHead) return;
  std::set<PageKey> kept = keysOf(nextHead->pages);
  kept.merge(keysOf(pages));  // the next one may be an older list that was put back
  for (const RefPage& page : head->pages) {
    if (!kept.contains(keyOf(page))) static_cast<void>(place_.removePage(page, stop));
  }
}

Result<bool> GenerationLists::areThere(const std::vector<RefPage>& pages, const Found& found,
                                       const std::stop_token& stop) {
  if (pages.empty()) return true;
  STRATA_TRY(const std::vector<RefPage> lost, place_.lostPages(pages, stop));
  if (lost.empty()) return true;
  STRATA_TRY(const std::vector<ListMark> all, place_.list(0, stop));
  if (highestOf(all) != found.highest) return false;
  return fail(unreadableList(
      {ErrorCode::CorruptData,
       fmt::format("{}: its page {} is not there with its {} bytes", place_.nameOf(found.number),
                   pageName(lost.front()), lost.front().byteCount)}));
}

Result<RefOutcome> GenerationLists::change(const std::function<Edit(RefIndex&)>& edit,
                                           std::optional<std::uint64_t> above,
                                           const std::stop_token& stop) {
  const Unreadable unreadable = above ? Unreadable::Passed : Unreadable::Fails;
  std::uint64_t highest = 0;
  for (int attempt = 1; attempt <= kWriteAttempts; ++attempt) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(const std::unique_ptr<WriteTurn> turn, place_.takeTurn(stop));
    STRATA_TRY(Found found, newest(unreadable, stop));
    highest = found.highest;
    std::vector<ListStamp> before = found.index.follows.value_or(std::vector<ListStamp>{});
    if (found.number > 0) before = joinStamps({{found.number, found.index.check}}, before);
    found.index.follows = std::move(before);
    const Edit wish = edit(found.index);
    if (wish == Edit::Refuse) return RefOutcome::Overtaken;
    if (wish == Edit::Keep) {
      if (found.number > 0) STRATA_TRY(place_.settle());
      return RefOutcome::Advanced;
    }
    const std::uint64_t number = std::max(found.highest, above.value_or(0)) + 1;
    std::erase_if(*found.index.follows, [&](const auto& one) { return one.number >= number; });
    STRATA_TRY(WrittenList list, writeList(found.index, number, above.has_value()));
    STRATA_TRY(const bool areKept, areThere(list.kept, found, stop));
    if (!areKept) continue;
    if (!list.added.empty()) STRATA_TRY(place_.writePages(list.added, stop));
    STRATA_TRY(const bool isOurs, place_.claim(number, list.text, turn.get(), stop));
    if (!isOurs) continue;
    // Others see it by now: a wish to stop comes too late.
    STRATA_TRY(const std::vector<ListMark> all, place_.list(0, {}));
    if (!mayBePassed(number, highestOf(all))) {
      prune(all, list.pages, stop);
      found.index.pages = std::move(list.pages);
      found.index.check = stampOf(list.text);
      remember(number, {}, std::move(found.index));  // its pages need not be read again
      return RefOutcome::Advanced;
    }
    // So slow that others had passed and removed this number before: it does not count.
    STRATA_TRY(place_.remove(number, {}));
  }
  return fail(ErrorCode::Io, fmt::format("{}: no list could be written after it in {} tries, "
                                         "others were faster each time; run it again",
                                         place_.nameOf(highest), kWriteAttempts));
}

Result<bool> GenerationLists::isNewest(std::uint64_t number, const std::string& tag,
                                       const std::stop_token& stop) {
  STRATA_TRY(const std::vector<ListMark> all, place_.list(number, stop));
  if (all.empty() || all.back().number != number || tag.empty()) return false;
  if (!tag.starts_with(kTextTag)) return all.back().etag == tag;
  STRATA_TRY(const auto text, place_.read(number, stop));
  return text && textTagOf(*text) == tag;
}

Result<std::optional<RefListing>> GenerationLists::listOf(std::uint64_t number,
                                                          const std::stop_token& stop) {
  const Seen before = seen();
  Found found;
  Reading reading(place_, before, Unreadable::Fails, stop);
  const auto state = reading.read({ListMark{number}}, found);
  if (!state && state.error().code != ErrorCode::CorruptData) return fail(state.error());
  if (!state || *state != Reading::State::Read) return std::nullopt;
  return listingOf(std::move(found), ListTag::None);
}

Result<void> GenerationLists::checkPages(const std::stop_token& stop) {
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    STRATA_TRY(const Found found, newest(Unreadable::Fails, stop));
    STRATA_TRY(const bool areKept, areThere(found.index.pages, found, stop));
    if (areKept) break;  // else others pushed past it, and looked themselves
  }
  return {};
}

Result<std::size_t> GenerationLists::clearPages(ScratchWish wish, const std::stop_token& stop) {
  STRATA_TRY(const std::vector<RefPage> pages, place_.listPages(stop));
  if (pages.empty()) return 0;
  // Listed after the pages: what a list names that came since was there for others before.
  STRATA_TRY(const std::vector<ListMark> all, place_.list(0, stop));
  std::set<PageKey> needed;
  std::set<PageKey> left;  // of older lists alone
  for (const ListMark& mark : all) {
    const auto head = headOf(mark.number, stop);
    if (!head) return 0;  // one that cannot be read may need any of them
    (arePagesOutdated(mark.number, highestOf(all)) ? left : needed).merge(keysOf(head->pages));
  }
  std::size_t count = 0;
  for (const RefPage& page : pages) {
    if (needed.contains(keyOf(page))) continue;
    // No list names it: a writer may be at it.
    if (!left.contains(keyOf(page)) && !isOutdated(page.number, highestOf(all))) continue;
    if (wish == ScratchWish::Delete) STRATA_TRY(place_.removePage(page, stop));
    ++count;
  }
  return count;
}

}  // namespace strata::hub
