#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/store.h"

namespace strata {

/// A manifest object whose content no version has, with what it holds.
struct UnnamedManifest {
  Digest digest;
  ManifestSummary summary;

  /// Whether all its packs are here.
  bool isWhole() const;
};

/// The objects that a store cannot do without. All that deletes objects asks it, so this is the
/// one place that decides what may go.
///
/// An object is needed if a version that stays rests on it: its manifest and packs, and those of
/// all its parents, whether refs name them or not. A whole model that no ref names rests on its
/// objects, too: its name may have been lost with the catalog. The catalog on the disk is asked for
/// one thing: versions that it knows and that have lost their ref. They are damage, and nothing is
/// deleted.
class NeededObjects {
 public:
  /// What is about to be deleted and so needs nothing.
  struct Leaving {
    std::vector<VersionEntry> versions = {};
    std::set<Digest> manifests = {};  ///< that no ref names any more
    /// Of versions that were deleted for good. Where no version that stays has such a content, all
    /// its manifests go, as those do of the contents of `versions`.
    std::set<Digest> contents = {};
  };

  /// Of all that is in the store but `leaving`. Only under the write lock, or to foretell.
  /// Fails with CorruptData or FormatTooNew, naming what is unreadable or missing, because it is
  /// then not known what that needs, or a version whose lineage runs in a circle: what would mend
  /// that is not known either; InvalidArgument if a version that stays is a difference to one of
  /// `leaving`; Cancelled, Io.
  static Result<NeededObjects> collect(const Store& store, const Catalog& listed,
                                       const TrueCatalog& truth, const Leaving& leaving,
                                       const std::stop_token& stop);

  bool contains(const Digest& digest) const {
    return isNamed(digest) || ofUnnamed_.contains(digest);
  }
  /// Whether a version needs it, and not only models that no ref names.
  bool isNamed(const Digest& digest) const { return objects_.contains(digest); }
  /// Of models that no version names, needed or not (unnamedManifests).
  const std::vector<UnnamedManifest>& unnamed() const noexcept { return unnamed_; }
  /// Objects of manifests that no ref names and whose content leaves, as those that a recoding
  /// replaced. Nothing that stays needs these objects. A model that is deleted for good could come
  /// back by them.
  const std::set<Digest>& former() const noexcept { return former_; }
  /// Refs that were set aside and whose model is not known (unaccountedRefs): what no manifest
  /// leads to may be all that is left of it.
  const std::vector<std::filesystem::path>& unaccounted() const noexcept { return unaccounted_; }

 private:
  friend class NeededCollection;
  std::set<Digest> objects_;
  std::set<Digest> ofUnnamed_;
  std::set<Digest> former_;
  std::vector<UnnamedManifest> unnamed_;
  std::vector<std::filesystem::path> unaccounted_;
};

/// The objects that go with `versions` when they are deleted for good: those that only they need.
/// Manifests that no ref names go, too, with what only they need, if their content leaves
/// (NeededObjects::former).
/// Fails as NeededObjects::collect.
Result<std::vector<CatalogObject>> objectsLeaving(const Store& store, const Catalog& listed,
                                                  const TrueCatalog& truth,
                                                  const std::vector<VersionEntry>& versions);

/// What is said of objects that cannot be read.
enum class Unread { Skipped, Refused };

/// The manifests among the objects that no version of `named` needs, but for those of the contents
/// `without`. Costs and fails as unnamedManifests.
Result<std::vector<UnnamedManifest>> looseManifests(const ObjectFolder& objects,
                                                    const Catalog& named,
                                                    const std::set<Digest>& without,
                                                    const std::stop_token& stop, Unread unread);

/// Those whose content no version of `named` has. Reads the beginning of every object that no
/// version of `named` needs. Fails with Cancelled or Io, and with Unread::Refused with what reading
/// an object fails with.
Result<std::vector<UnnamedManifest>> unnamedManifests(const ObjectFolder& objects,
                                                      const Catalog& named,
                                                      const std::stop_token& stop,
                                                      Unread unread = Unread::Skipped);

/// Versions that the catalog lists and that have no ref, live or in the trash, although nobody
/// deleted or renamed them. Reads names of files, and refs of renamed versions.
/// Fails with Io or what the catalog fails with.
Result<std::vector<VersionEntry>> versionsWithoutRef(const RefFolder& refs, const Catalog& catalog);

}  // namespace strata
