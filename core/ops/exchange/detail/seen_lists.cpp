#include "core/ops/exchange/detail/seen_lists.h"

#include <algorithm>

#include "core/ops/exchange/detail/kept_listing.h"
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

}  // namespace

std::set<std::uint64_t> unseenBy(const std::optional<RefListing>& known, const RefListing& there) {
  std::set<std::uint64_t> unseen = there.passed;
  const bool isSeen =
      known && unseen.contains(known->generation) && !isOtherRemote(known->identity, there);
  if (isSeen) unseen.erase(unseen.begin(), unseen.upper_bound(known->generation));
  return unseen;
}

std::set<std::uint64_t> foundBy(const RefListing& known, const RefListing& listing,
                                const std::map<std::string, RefText>& refs) {
  if (isOtherRemote(known.identity, listing)) return {};
  std::set<std::uint64_t> found = known.found;
  if (listing.unseen.contains(known.generation) && hasVersionsOf(refs, known)) {
    found.insert(known.generation);
  }
  std::erase_if(found, [&](auto one) { return !listing.unseen.contains(one); });
  return found;
}

}  // namespace strata
