#pragma once

#include <vector>

#include "core/archive/manifest.h"
#include "core/store/catalog/catalog.h"
#include "core/store/objects/object_folder.h"

namespace strata {

/// What the catalog keeps of a manifest. `manifestDigest` is that of its object. Sizes of packs are
/// those that the manifest tells, also where a file was cut short; 0 for one that is missing.
ManifestSummary summarize(const Manifest& manifest, const Digest& manifestDigest,
                          const ObjectFolder& objects);

/// Which of its packs are in the store by now. Those that were missing have the size of their file:
/// who fetched it compared its hash.
void lookForPacks(ManifestSummary& summary, const ObjectFolder& objects);

/// Lets a ref rest on a manifest of its content. Bytes stored are those of its objects now, unless
/// the content was here already when the version was added.
void restOn(VersionRef& ref, const ManifestSummary& manifest);

/// Reads a manifest object and makes sure that it is the one its digest names and that it holds
/// `contentDigest`. Fails with NotFound or CorruptData, naming the object.
Result<Manifest> readManifest(const ObjectReader& objects, const Digest& manifestDigest,
                              const Digest& contentDigest);
Result<Manifest> readManifest(const ObjectFolder& objects, const Digest& manifestDigest,
                              const Digest& contentDigest);

}  // namespace strata
