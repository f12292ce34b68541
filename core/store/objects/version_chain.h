#pragma once

#include <memory>

#include "core/archive/read/version_reader.h"
#include "core/store/store.h"

namespace strata {

/// A reader of the stored version with this content, with the readers of its parents behind it.
/// Where the content is stored in several ways, the first that can be opened serves. Where all of
/// them lead back to the content, so does a coding that no version names (endingCodings). `store`
/// must outlive the reader.
/// Fails with NotFound if no version has the content, CorruptData, naming the object.
Result<std::shared_ptr<const VersionReader>> openVersion(const Store& store,
                                                         const Digest& contentDigest);

/// The same of one version: its own manifest serves if it can be opened, else another of its
/// content. What a manifest has beside the content, as permission bits, may be that other one's
/// then.
Result<std::shared_ptr<const VersionReader>> openVersion(const Store& store,
                                                         const VersionEntry& version);

/// The same of one manifest with this content, where it matters which of them serves. What is
/// missing of its parents because it was never pulled is NotFound; other damage is CorruptData or
/// BaseMismatch.
Result<std::shared_ptr<const VersionReader>> openVersionOf(const Store& store,
                                                           const Digest& manifestDigest,
                                                           const Digest& contentDigest);

}  // namespace strata
