#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/store.h"

namespace strata {

/// A version whose ref file is there but that the catalog does not list: its ref or its manifest
/// could not be read when the catalog was written anew.
struct LostVersion {
  VersionRef ref;    ///< name, number and place (removedAt); the rest as far as it could be read
  std::string text;  ///< of the ref file

  /// Whether the ref file says that the version holds `content`. Of a damaged one the digest in its
  /// text counts: nothing else looks like it.
  bool holds(const Digest& content) const;
};

/// All of them; reads the names of all ref files, and the files of those that are lost alone.
/// Fails with Io or what the catalog fails with.
Result<std::vector<LostVersion>> lostVersions(const Store& store, const Catalog& catalog);

/// The refs of lost versions that hold `content`, to be listed again with a manifest of it. What a
/// damaged ref does not say is that of `fresh`. Fails as lostVersions.
Result<std::vector<VersionRef>> lostRefsOf(const Store& store, const Catalog& catalog,
                                           const Digest& content, const VersionRef& fresh);

/// What a ref alone says of its version.
VersionEntry entryOf(const VersionRef& ref);

/// The live version that `reference` names by its number, if the catalog does not list it because
/// its manifest is lost. Fails as lostVersions.
Result<std::optional<VersionEntry>> versionWithoutManifest(const Store& store,
                                                           const Catalog& catalog,
                                                           std::string_view reference);

/// Refs that a repair set aside and that may be all that is known of a model: none of `contents` is
/// named by the file's text. `contents` are those of all versions and of whole models without a
/// name. Fails with Io.
Result<std::vector<std::filesystem::path>> unaccountedRefs(const Store& store,
                                                           const std::set<Digest>& contents);

/// The ref of a version that the catalog lists: what its file says, or if that is damaged or gone
/// or speaks of another manifest, what the catalog remembers. `isSound` tells which.
struct KnownRef {
  VersionRef ref;
  bool isSound;
};
Result<KnownRef> refOf(const Store& store, const Catalog& catalog, const VersionEntry& version);

/// Whether a ref is a copy from before its version got another manifest, which `listed` names: that
/// one is here, and the ref's is lost.
bool isOldRef(const ObjectFolder& objects, const VersionRef& ref, const Digest& content,
              const Digest& listed);

/// What the catalog remembers of a version's ref. Fails with what the catalog fails with.
Result<VersionRef> rememberedRef(const Catalog& catalog, const VersionEntry& version);

}  // namespace strata
