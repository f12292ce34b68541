#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ops/exchange/push_versions.h"
#include "core/store/store.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// The list of a remote as `push --repair` wants it to be.
struct MendedList {
  RefListing listing;
  /// Refs that say something else than there: what they say there, nothing where they are missing.
  std::map<std::string, std::optional<RefText>> changed;
  std::vector<FailedTransfer> failed;  ///< refs there that nothing here can say anew
  std::optional<std::uint64_t> above;  ///< RefPush::above
  /// Number of the list that the remote went back from; 0: it did not. The mended list gets a
  /// higher one if all of it could be mended: until then other stores are to notice, too.
  std::uint64_t lastSeen = 0;
  /// Labels there of versions whose notes both sides wrote since: what is there stays.
  std::vector<std::string> notesInDoubt;
};

/// Mends a list (Transport::salvageRefs) by `former`, what this store saw of it last, and by the
/// versions that are here:
///
/// - A list that went back (wayBack()) gets the refs that `former` has. What others changed in them
///   since `common` (commonList()) stays (mergedVersion()). A list that cannot be read and
///   that was not seen (unseenBy()) is a failure: what it alone listed is lost.
/// - Versions that `former` had and of which nobody can tell whether they were lost (missingIn())
/// are
///   listed again.
/// - A ref that cannot be read gets the text that `former` has, or that a push of the version gives
///   it, if one of the version's hashes is still in it. A ref under a wrong name is renamed.
/// - Sizes, packs and parents are those of the manifest here, where it is the same one.
/// - Versions of `lost`, whose objects nobody can send any more, rest on what they were recoded to
///   here, if that is whole.
///
/// Nothing is asked of the remote: who pushes the list looks for the objects. Fails with
/// CorruptData if no list there can be read and nothing is known, or where two remotes lie there of
/// which this store knows one at most, and as the catalog.
Result<MendedList> mendList(const Store& store, const RefListing& there,
                            const std::optional<RefListing>& former,
                            const std::optional<RefListing>& common,
                            const std::set<std::string>& lost = {});

}  // namespace strata
