#include "core/transfer/ref_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace strata {
namespace {

using Refs = std::map<std::string, RefText>;

/// What pages are filled to that are written at once: later refs find room in them.
constexpr std::size_t kFullBytes = kMostPageBytes / 4 * 3;
/// A page with less joins the one before it.
constexpr std::size_t kLeastBytes = kMostPageBytes / 8;

/// Refs that follow each other.
struct Span {
  Refs::const_iterator begin;
  Refs::const_iterator end;
  std::size_t byteCount = 0;
};

/// Of one ref in a page.
std::string entryText(const Refs::value_type& ref) {
  return nlohmann::json(ref.first).dump() + ':' + ref.second;
}

std::string pageText(Refs::const_iterator begin, Refs::const_iterator end) {
  std::string text = "{\"refs\":{";
  for (auto ref = begin; ref != end; ++ref) {
    text += ref == begin ? "\n" : ",\n";
    text += entryText(*ref);
  }
  return text + "\n}}\n";
}

std::size_t bytesOf(const Refs::value_type& ref) {
  constexpr std::size_t kMarks = 5;  // quotes, colon, comma and the line's end
  return ref.first.size() + ref.second.size() + kMarks;
}

/// Adds the spans that a page becomes: itself, or parts of about equal length.
void split(const Span& page, std::vector<Span>& spans) {
  if (page.byteCount <= kMostPageBytes) {
    spans.push_back(page);
    return;
  }
  const std::size_t count = (page.byteCount + kFullBytes - 1) / kFullBytes;
  std::size_t ended = 0;
  std::size_t before = 0;  // bytes of what is in parts
  Span part{page.begin, page.begin};
  for (auto ref = page.begin; ref != page.end; ++ref) {
    const std::size_t bytes = bytesOf(*ref);
    const bool isShare =
        ended + 1 < count && before + bytes / 2 > page.byteCount / count * (ended + 1);
    const bool isFull = isShare || part.byteCount + bytes > kMostPageBytes;
    if (isFull && part.byteCount > 0) {
      spans.push_back(part);
      part = {ref, ref};
      ++ended;
    }
    before += bytes;
    part.byteCount += bytes;
    part.end = std::next(ref);
  }
  spans.push_back(part);
}

/// Cuts refs where the pages before were cut, so that those that are the same stay the same.
std::vector<Span> spansOf(const Refs& refs, const std::vector<RefPage>& before) {
  std::vector<Span> pages;
  auto mark = before.begin();
  for (auto ref = refs.begin(); ref != refs.end(); ++ref) {
    bool isFirst = pages.empty();
    for (; mark != before.end() && mark->first <= ref->first; ++mark) isFirst = true;
    if (isFirst) pages.push_back({ref, ref});
    pages.back().byteCount += bytesOf(*ref);
    pages.back().end = std::next(ref);
  }
  std::vector<Span> joined;
  for (const Span& page : pages) {
    const bool isSmall =
        !joined.empty() && (page.byteCount < kLeastBytes || joined.back().byteCount < kLeastBytes);
    if (isSmall && joined.back().byteCount + page.byteCount <= kFullBytes) {
      joined.back().end = page.end;
      joined.back().byteCount += page.byteCount;
    } else {
      joined.push_back(page);
    }
  }
  std::vector<Span> spans;
  for (const Span& page : joined) split(page, spans);
  return spans;
}

struct CutPage {
  RefPage page;
  std::string text;
};

std::vector<CutPage> cut(const Refs& refs, const std::vector<RefPage>& before) {
  std::vector<CutPage> pages;
  for (const Span& span : spansOf(refs, before)) {
    std::string text = pageText(span.begin, span.end);
    const Digest digest = sha256(std::as_bytes(std::span(text)));
    pages.push_back({{0, digest, text.size(), span.begin->first}, std::move(text)});
  }
  return pages;
}

bool isShort(const std::string& list) { return list.size() <= kMostPageBytes; }

}  // namespace

Result<WrittenList> writeList(const RefIndex& index, std::uint64_t number, bool anew) {
  WrittenList list;
  STRATA_TRY(list.text, serializeNumbered(index, number));
  if (isShort(list.text)) return list;
  std::map<Digest, RefPage> kept;
  for (const RefPage& page : index.pages) {
    const bool isNamed = page.number > 0;  // the name that it has there is known
    if (!anew && isNamed) kept.emplace(page.digest, page);
  }
  std::uint64_t byteCount = 0;
  for (CutPage& one : cut(index.refs, index.pages)) {
    const auto there = kept.find(one.page.digest);
    one.page.number = there == kept.end() ? number : there->second.number;
    byteCount += one.page.byteCount;
    list.pages.push_back(one.page);
    if (there == kept.end()) {
      list.added.emplace_back(one.page, std::move(one.text));
    } else {
      list.kept.push_back(one.page);
    }
  }
  if (byteCount > kMaxIndexBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the list of {} versions and tags has {} bytes, at most {} are allowed "
                            "on one remote",
                            index.refs.size(), byteCount, kMaxIndexBytes));
  }
  list.text = serializeRefHead({{},
                                index.sweepCount,
                                index.doomed,
                                list.pages,
                                index.mendedAbove,
                                number,
                                index.identity,
                                index.unseen,
                                index.follows});
  return list;
}

std::vector<RefPage> pagesAfter(const std::map<std::string, RefText>& refs,
                                const std::vector<RefPage>& before) {
  const auto list = serializeRefIndex({refs});
  if (!list || isShort(*list)) return {};
  std::map<Digest, std::uint64_t> numbers;
  for (const RefPage& page : before) numbers.emplace(page.digest, page.number);
  std::vector<RefPage> pages;
  for (CutPage& one : cut(refs, before)) {
    const auto known = numbers.find(one.page.digest);
    if (known != numbers.end()) one.page.number = known->second;
    pages.push_back(std::move(one.page));
  }
  return pages;
}

Result<void> addPage(RefIndex& index, std::size_t place, std::map<std::string, RefText> refs,
                     std::string_view what) {
  const bool follows =
      !refs.empty() && (index.refs.empty() || index.refs.rbegin()->first < refs.begin()->first);
  if (!follows || index.refs.size() + refs.size() > kMaxRefs) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: {}", what,
                            follows ? "makes a list of too many refs" : "is in the wrong place"));
  }
  index.pages[place].first = refs.begin()->first;
  index.refs.merge(refs);
  return {};
}

namespace {

/// The refs of a page of a list that was read.
std::pair<Refs::const_iterator, Refs::const_iterator> refsOf(const RefIndex& index,
                                                             std::size_t place) {
  const bool isLast = place + 1 == index.pages.size();
  return {index.refs.lower_bound(index.pages[place].first),
          isLast ? index.refs.end() : index.refs.lower_bound(index.pages[place + 1].first)};
}

}  // namespace

KnownPages KnownPages::read(std::shared_ptr<const RefIndex> index) {
  KnownPages known;
  for (std::size_t i = 0; i < index->pages.size(); ++i) {
    known.places_.emplace(index->pages[i].digest, i);
  }
  known.index_ = std::move(index);
  return known;
}

KnownPages KnownPages::kept(std::shared_ptr<const RefIndex> index) {
  KnownPages known;
  const auto& pages = index->pages;
  const auto isNotBefore = [](const RefPage& a, const RefPage& b) { return a.first >= b.first; };
  if (std::adjacent_find(pages.begin(), pages.end(), isNotBefore) != pages.end()) return known;
  for (std::size_t i = 0; i < index->pages.size(); ++i) {
    const auto [begin, end] = refsOf(*index, i);
    const std::string text = pageText(begin, end);
    const Digest digest = sha256(std::as_bytes(std::span(text)));
    if (digest == index->pages[i].digest) known.places_.emplace(digest, i);
  }
  known.index_ = std::move(index);
  return known;
}

bool KnownPages::areAllKnown() const {
  if (index_ == nullptr || places_.size() != index_->pages.size()) return false;
  const auto hasNumber = [](const RefPage& page) { return page.number > 0; };
  return std::all_of(index_->pages.begin(), index_->pages.end(), hasNumber);
}

std::optional<std::map<std::string, RefText>> KnownPages::find(const RefPage& page) const {
  const auto place = places_.find(page.digest);
  if (place == places_.end()) return std::nullopt;
  const auto [begin, end] = refsOf(*index_, place->second);
  return Refs(begin, end);
}

}  // namespace strata
