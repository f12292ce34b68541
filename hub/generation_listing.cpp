// What a numbered list is called, and what readers are told of it.
#include <utility>

#include "hub/generation_lists.h"

namespace strata::hub {

std::string pageName(const RefPage& page) {
  return generationName(page.number) + '-' + toHex(page.digest);
}

std::optional<RefPage> pageOfName(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::uint64_t number = generationOf(name.substr(0, dash));
  const auto digest = digestFromHex(name.substr(dash + 1));
  if (number == 0 || !digest) return std::nullopt;
  return RefPage{number, *digest};
}

std::optional<RefListing> GenerationLists::written() {
  const Seen last = seen();
  if (last.number == 0 || last.index->check.empty()) return std::nullopt;
  return listingOf(Found{.number = last.number, .highest = last.number, .index = *last.index},
                   ListTag::None);
}

RefListing listingOf(GenerationLists::Found found, ListTag tag) {
  RefListing listing;
  listing.revision = std::to_string(found.number);
  listing.endedSweeps = found.index.endedSweeps();
  const bool isWhole = found.number == found.highest;
  listing.generation = found.number;
  listing.unreadable = isWhole ? 0 : found.highest;
  listing.passed = std::move(found.passed);
  listing.mendedAbove = found.index.mendedAbove;
  listing.identity = found.index.identity;
  listing.unseen = found.index.unseen;
  listing.isMixed = found.isMixed;
  listing.follows = std::move(found.index.follows);
  listing.check = std::move(found.index.check);
  listing.pages = std::move(found.index.pages);
  // While somebody deletes objects there is more to know than what is kept.
  if (isWhole && found.index.doomed.empty()) {
    if (tag == ListTag::Server) listing.etag = std::move(found.etag);
    if (tag == ListTag::Text) listing.etag = std::move(found.textTag);
  }
  listing.refs = std::move(found.index.refs);
  return listing;
}

}  // namespace strata::hub
