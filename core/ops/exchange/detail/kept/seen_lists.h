#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/transfer/remote_refs.h"

namespace strata {

/// Which lists of a remote a store has seen. A number alone says nothing of that: a remote that was
/// made anew counts from 1 again, and one that went back gives numbers twice.
/// core/ops/exchange/README.md, "Others at work", has an example.

/// Whether somebody could not read the list of the number of `former`.
bool isSeenInDoubt(const RefListing& former, const RefListing& there);

/// Whether `text`, which lies under the number of `former`, is that list for all that can be read
/// of it: another store may have been given the number after that list was lost. It is if it has
/// the check, a page of that number, or a ref that `there` lacks; or if `former` has all that it
/// lists. What lists have in common shows nothing.
bool isListSeen(const RefListing& former, const RefListing& there, std::string_view text);

/// Of RefListing::passed those that the store that keeps `former` has not seen. It has seen the
/// list of its number, if that one lies there (RefListing::confirmed), and with it all that are
/// older.
std::set<std::uint64_t> unseenBy(const std::optional<RefListing>& former, const RefListing& there);

/// Of RefListing::unseen of `listing` those that the store that keeps `former` saw
/// (RefListing::confirmed), and all of whose versions `refs` have, from the same manifests, or had
/// when the store learned of the mark.
std::set<std::uint64_t> foundBy(const RefListing& former, const RefListing& listing,
                                const std::map<std::string, RefText>& refs);

}  // namespace strata
