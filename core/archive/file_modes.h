#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/archive/manifest.h"
#include "core/archive/objects.h"
#include "core/model/model_source.h"

namespace strata {

/// The permission bits of a model's files, as keptMode() gives them, by path. They are no part of
/// the content. Versions of one content that were added with other bits have a manifest each, over
/// the same packs.
using FileModes = std::map<std::string, std::uint32_t>;

FileModes modesOf(const Manifest& manifest);
FileModes modesOf(const ModelDescription& model);

/// The same manifest with other bits. Files that `modes` does not name keep theirs.
Manifest withModes(Manifest manifest, const FileModes& modes);

/// Writes the manifest as an object of its own; returns its digest. Fails as serializeManifest, and
/// with NoSpace or Io.
Result<Digest> writeManifest(const Manifest& manifest, ObjectWriter& objects);

}  // namespace strata
