#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/archive/write/effort.h"
#include "core/archive/write/version_writer.h"
#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/store.h"
#include "core/store/store_writer.h"

namespace strata {

/// How a stored version is coded anew.
struct CodingAnew {
  std::optional<Digest> parent = {};  ///< content that it becomes a difference to; nothing: in full
  std::optional<Effort> effort = {};  ///< nothing: what the version was coded with
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed; null: the CPU
  bool dryRun = false;       ///< for its figures alone
};

/// What became of it.
struct CodedAnew {
  WriteReport written;
  std::unique_ptr<StagedObjects> staged;  ///< null in a dry run

  ManifestSummary summary(const Store& store) const;
};

/// Codes a version anew, exactly, into objects that wait. `model` is what it restores to, `former`
/// its manifest: what that records of a loss stays recorded. Needs no write lock.
/// Fails as openVersion (parent) and writeVersion, and with Internal if the content became another.
Result<CodedAnew> codeAnew(const Store& store, const VersionEntry& version, const Manifest& former,
                           const ModelSource& model, const CodingAnew& coding,
                           const std::stop_token& stop, const ProgressSink& progress);

/// Bytes of a version's packs and manifest, by the catalog.
Result<std::uint64_t> objectBytesOf(const Catalog& catalog, const VersionEntry& version);

/// The versions that are coded anew together with `version`, itself among them, live or in the
/// trash. They rest on its manifest, or have its content with the same packs. The latter may differ
/// in the permission bits of their files, which each of them keeps. They are left out if their
/// manifests cannot be read, which alone tell these bits.
Result<std::vector<VersionEntry>> versionsCodedAs(const Store& store, const Catalog& catalog,
                                                  const VersionEntry& version);

/// Refs of versions, to be given another manifest. Fails as refOf.
Result<std::vector<VersionRef>> refsOf(const StoreWriter& writer,
                                       const std::vector<VersionEntry>& versions);

}  // namespace strata
