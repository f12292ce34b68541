#include "core/ops/exchange/detail/kept/seen_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

/// Whether a list has the versions of another one, from the same manifests.
bool hasVersionsOf(const std::map<std::string, RefText>& refs, const RefListing& other) {
  const auto manifestOf = [](const std::string& name, const RefText& text) {
    const auto version = parseRemoteVersion(name, text);
    return version ? std::optional<Digest>(version->ref.manifestDigest) : std::nullopt;
  };
  return std::all_of(other.refs.begin(), other.refs.end(), [&](const auto& ref) {
    const auto parts = parseRefName(ref.first);
    if (parts && parts->isTag()) return true;
    const auto there = refs.find(ref.first);
    const auto manifest = manifestOf(ref.first, ref.second);
    return manifest && there != refs.end() && manifestOf(ref.first, there->second) == manifest;
  });
}

/// One line of a list that may be damaged: a ref or a page.
enum class Line { End, Own, Known, Other };

Line lineOfRef(const RefListing& former, const RefListing& there, std::string_view line) {
  const std::size_t end = line.find("\":");
  if (end == std::string_view::npos) return Line::Other;
  const auto own = former.refs.find(std::string(line.substr(1, end - 1)));
  if (own == former.refs.end() || own->second != line.substr(end + 2)) return Line::Other;
  const auto other = there.refs.find(own->first);
  return other == there.refs.end() || other->second != own->second ? Line::Own : Line::Known;
}

Line lineOfPage(const RefListing& former, std::string_view line) {
  const auto own = std::find_if(former.pages.begin(), former.pages.end(), [&](const RefPage& page) {
    return line == fmt::format("[{},\"{}\",{}]", page.number, toHex(page.digest), page.byteCount);
  });
  if (own == former.pages.end()) return Line::Other;
  return own->number == former.generation ? Line::Own : Line::Known;
}

Line lineOf(const RefListing& former, const RefListing& there, std::string_view line) {
  if (line.starts_with('}') || line.starts_with(']')) return Line::End;
  if (line.ends_with(',')) line.remove_suffix(1);
  if (line.starts_with('"')) return lineOfRef(former, there, line);
  return line.starts_with('[') ? lineOfPage(former, line) : Line::Other;
}

}  // namespace

bool isSeenInDoubt(const RefListing& former, const RefListing& there) {
  const std::uint64_t number = former.generation;
  const bool isNamed = there.unseen.contains(number) || there.passed.contains(number);
  return number > 0 && isNamed && !isOtherRemote(former.identity, there);
}

bool isListSeen(const RefListing& former, const RefListing& there, std::string_view text) {
  const bool hasCheck = text.find("\"check\":\"" + former.check) != std::string_view::npos;
  if (!former.check.empty() && (hasCheck || stampOf(text) == former.check)) return true;
  bool areAllKnown = true;
  std::size_t begin = text.find('\n');
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find('\n', ++begin);
    switch (lineOf(former, there, text.substr(begin, end - begin))) {
      case Line::Own:
        return true;
      case Line::End:
        return areAllKnown;
      case Line::Other:
        areAllKnown = false;
        break;
      case Line::Known:
        break;
    }
    begin = end;
  }
  return false;
}

std::set<std::uint64_t> unseenBy(const std::optional<RefListing>& former, const RefListing& there) {
  std::set<std::uint64_t> unseen = there.passed;
  const bool isSeen = former && former->generation > 0 && there.confirmed == former->generation;
  if (isSeen) unseen.erase(unseen.begin(), unseen.upper_bound(former->generation));
  return unseen;
}

std::set<std::uint64_t> foundBy(const RefListing& former, const RefListing& listing,
                                const std::map<std::string, RefText>& refs) {
  if (isOtherRemote(former.identity, listing)) return {};
  std::set<std::uint64_t> found = former.found;
  const bool isSeen =
      listing.confirmed == former.generation && listing.unseen.contains(former.generation);
  if (isSeen && hasVersionsOf(refs, former)) {
    found.insert(former.generation);
  }
  std::erase_if(found, [&](auto one) { return !listing.unseen.contains(one); });
  return found;
}

}  // namespace strata
