#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/store.h"

namespace strata {

/// A model that can be restored and that no version names: its ref was lost with the catalog, or a
/// writer died just before it wrote the ref. recoverVersions gives it a name.
struct UnnamedModel {
  Digest contentDigest;
  std::string format;  ///< "onnx", "safetensors" or "folder"
  std::uint64_t originalBytes = 0;
  std::set<Digest> objects = {};
};

UnnamedModel unnamedModel(const UnnamedManifest& manifest);

/// The contents of versions and of those models without a name that are whole and lead, by their
/// parents, to bases that are, too. What a failed pull left is often a difference to nothing.
Result<std::set<Digest>> restorableContents(const Catalog& named,
                                            const std::vector<UnnamedManifest>& unnamed);

/// Those that the catalog of a store does not list and that no pull has fetched. Fails with
/// Cancelled, Io, CorruptData (a folder of objects is a link).
Result<std::vector<UnnamedModel>> unnamedModels(const Store& store, const std::stop_token& stop);

}  // namespace strata
