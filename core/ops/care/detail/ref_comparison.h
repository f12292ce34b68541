#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/store/store.h"
#include "core/store/store_survey.h"

namespace strata {

/// A version that the catalog does not list, because its manifest is damaged or missing.
struct LostManifest {
  VersionRef ref;
  std::string reason;
};

/// What does not agree between the catalog and the refs.
struct RefComparison {
  std::vector<Damage> damages;
  std::vector<LostManifest> lostManifests;
  /// Versions and tags that a writer at work, or one that died, has not finished: "sst2:v2".
  std::vector<std::string> unfinished;
  std::vector<VersionRef> awaiting;  ///< refs of versions that were pulled without their packs
};

/// Compares the refs of `versions`, as the catalog lists them, with what it says of them. With
/// `isWhole` those are all versions, and refs and tags that the catalog lacks are looked for, too,
/// and damaged notes of names. With `isUnfinished` a writer is at work or has died: what it left
/// half-done is no damage. Nor is what `pending` is about, the change that the next writer does.
/// Fails with Io or what the catalog fails with.
Result<RefComparison> compareRefs(const Store& store, const std::vector<VersionEntry>& versions,
                                  bool isWhole, bool isUnfinished, const RefChange& pending);

/// Parents of `versions` that no version of the catalog is, one damage each.
/// Fails with Cancelled, Io or what the catalog fails with.
Result<std::vector<Damage>> missingParents(const Store& store,
                                           const std::vector<VersionEntry>& versions,
                                           const std::stop_token& stop);

/// Something else lies where a ref, an object or their folder should be: that is why `damages` miss
/// what was there, and one damage names it. It is taken out of `foreign` then.
void nameMisplaced(const StoreSurvey& survey, std::vector<Damage>& damages,
                   std::vector<std::filesystem::path>& foreign);

}  // namespace strata
