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

Line lineOfRef(const RefListing& known, const RefListing& there, std::string_view line) {
  const std::size_t end = line.find("\":");
  if (end == std::string_view::npos) return Line::Other;
  const auto own = known.refs.find(std::string(line.substr(1, end - 1)));
  if (own == known.refs.end() || own->second != line.substr(end + 2)) return Line::Other;
  const auto other = there.refs.find(own->first);
  return other == there.refs.end() || other->second != own->second ? Line::Own : Line::Known;
}

Line lineOfPage(const RefListing& known, std::string_view line) {
  const auto own = std::find_if(known.pages.begin(), known.pages.end(), [&](const RefPage& page) {
    return line == fmt::format("[{},\"{}\",{}]", page.number, toHex(page.digest), page.byteCount);
  });
  if (own == known.pages.end()) return Line::Other;
  return own->number == known.generation ? Line::Own : Line::Known;
}

Line lineOf(const RefListing& known, const RefListing& there, std::string_view line) {
  if (line.starts_with('}') || line.starts_with(']')) return Line::End;
  if (line.ends_with(',')) line.remove_suffix(1);
  if (line.starts_with('"')) return lineOfRef(known, there, line);
  return line.starts_with('[') ? lineOfPage(known, line) : Line::Other;
}

}  // namespace

bool isSeenInDoubt(const RefListing& known, const RefListing& there) {
  const std::uint64_t number = known.generation;
  const bool isNamed = there.unseen.contains(number) || there.passed.contains(number);
  return number > 0 && isNamed && !isOtherRemote(known.identity, there);
}

bool isListSeen(const RefListing& known, const RefListing& there, std::string_view text) {
  const bool hasCheck = text.find("\"check\":\"" + known.check) != std::string_view::npos;
  if (!known.check.empty() && (hasCheck || stampOf(text) == known.check)) return true;
  bool areAllKnown = true;
  std::size_t begin = text.find('\n');
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find('\n', ++begin);
    switch (lineOf(known, there, text.substr(begin, end - begin))) {
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

std::set<std::uint64_t> unseenBy(const std::optional<RefListing>& known, const RefListing& there) {
  std::set<std::uint64_t> unseen = there.passed;
  const bool isSeen = known && known->generation > 0 && there.confirmed == known->generation;
  if (isSeen) unseen.erase(unseen.begin(), unseen.upper_bound(known->generation));
  return unseen;
}

std::set<std::uint64_t> foundBy(const RefListing& known, const RefListing& listing,
                                const std::map<std::string, RefText>& refs) {
  if (isOtherRemote(known.identity, listing)) return {};
  std::set<std::uint64_t> found = known.found;
  const bool isSeen =
      listing.confirmed == known.generation && listing.unseen.contains(known.generation);
  if (isSeen && hasVersionsOf(refs, known)) {
    found.insert(known.generation);
  }
  std::erase_if(found, [&](auto one) { return !listing.unseen.contains(one); });
  return found;
}

}  // namespace strata
