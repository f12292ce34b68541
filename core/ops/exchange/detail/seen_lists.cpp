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

std::set<std::uint64_t> unseenBy(const std::optional<RefListing>& former, const RefListing& there) {
  std::set<std::uint64_t> unseen = there.passed;
  const bool isSeen =
      former && unseen.contains(former->generation) && !isOtherRemote(former->identity, there);
  if (isSeen) unseen.erase(unseen.begin(), unseen.upper_bound(former->generation));
  return unseen;
}

std::set<std::uint64_t> foundBy(const RefListing& former, const RefListing& listing,
                                const std::map<std::string, RefText>& refs) {
  if (isOtherRemote(former.identity, listing)) return {};
  std::set<std::uint64_t> found = former.found;
  if (listing.unseen.contains(former.generation) && hasVersionsOf(refs, former)) {
    found.insert(former.generation);
  }
  std::erase_if(found, [&](auto one) { return !listing.unseen.contains(one); });
  return found;
}

}  // namespace strata
