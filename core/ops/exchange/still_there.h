#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "core/transfer/transport.h"

namespace strata {

/// Whether a list descends from one that a store saw before.
enum class ListDescent {
  Follows,  ///< it is that one, or was made of it: what is missing was taken off
  Lost,     ///< it was made without that one
  Unknown,  ///< it names none that is so old
  Untold,   ///< an earlier program wrote one of them
};
ListDescent descentOf(const RefListing& former, const RefListing& listing);

/// Whether versions of `former` are missing: there is none of the name with the content.
bool lacksVersions(const RefListing& former, const RefListing& listing);

/// What people are told of a list with a lower number than `former`, or of another remote: of it
/// nothing is missing, as checkStillThere says. Or that versions are missing, and nobody knows
/// whether they were taken off (ListDescent::Unknown). Empty for others.
std::string olderListText(const RefListing& listing, const std::optional<RefListing>& former);

/// Asked before a listing counts as what a remote has. `former`: readFormer(), from before.
///
/// Fails with NotFound if nobody has pushed there (RefListing::isNew), but versions were listed
/// when it was last asked. A share that is not mounted looks like that. Fails with
/// CorruptData, naming both numbers and what to do, if the list went back: see wayBack(). So it
/// does where two remotes lie there, of which this store knows none.
Result<void> checkStillThere(const std::optional<RefListing>& former, const std::string& url,
                             const RefListing& listing);

/// What is wrong with a place where two remotes lie (RefListing::isMixed); empty for others.
std::string mixedText(const RefListing& listing);

/// Looks at the list of `former` where a newer one does not tell whether it follows that and lacks
/// some of it, or is of another remote. Sets RefListing::replaced where another one stands under
/// its number, and RefListing::isMixed. Where others could not read the list of that number, sets
/// RefListing::confirmed. Fails as Transport::listOf.
Result<void> noteReplaced(Transport& remote, const std::optional<RefListing>& former,
                          RefListing& listing, const std::stop_token& stop);

/// RefListing::missing of a list that is kept after `former`.
std::map<std::string, RefText> missingIn(const std::optional<RefListing>& former,
                                         const RefListing& listing);

/// Fails with NotFound if nobody has pushed there.
Result<void> checkIsMade(const std::string& url, const RefListing& listing);

/// What shows that a remote's newest list was lost, or an older copy of it put back: it does not
/// follow `former`, and refs of `former` are others or missing. A tag that was moved later is none
/// of these. Or the remote was deleted and made anew, and refs are missing. Of lists that do not
/// tell which they follow: the list of `former` was mended, by a store that may not have seen it,
/// or another list stands under its number (RefListing::replaced). Empty if nothing shows that:
/// then the list counts, whatever its number. Kinds of remotes that count no lists never do.
std::string wayBack(const RefListing& former, const RefListing& listing);

}  // namespace strata
