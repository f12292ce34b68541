#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/ops/care/unnamed_models.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct GarbageOptions {
  bool dryRun = true;
  /// Free whole models that no name leads to, too, and what refs that were set aside may have
  /// named.
  bool unnamedToo = false;
  /// Code exact versions that stand on removed ones anew first, where that frees bytes. In a dry
  /// run they are coded, too, and nothing is written.
  bool recode = false;
  std::uint64_t memoryBytes = 512'000'000;  ///< of recoding
  Device* device = nullptr;                 ///< the same; borrowed; null: the CPU
  ModelOpener reader = {};                  ///< the same; see RecodeOptions
};

/// A version that was coded anew, or would be, so that a removed one can go.
struct RecodedVersion {
  VersionEntry version;           ///< as it was
  std::string parentLabel;        ///< of what was coded; empty: stored in full
  std::string formerParentLabel;  ///< of the removed version
  std::uint64_t bytesBefore = 0;  ///< packs and manifest
  std::uint64_t bytesAfter = 0;
};

struct GarbageReport {
  std::vector<StoredObject> freed;  ///< or to be freed; by digest
  std::uint64_t freedBytes = 0;     ///< of objects
  std::vector<RecodedVersion> recoded;
  std::uint64_t writtenBytes = 0;  ///< by recoding, or to be written
  /// Without `recode`: removed versions that stay because exact versions are differences to them,
  /// and what the removed ones alone take.
  std::uint64_t standingVersions = 0;
  std::uint64_t standingBytes = 0;
  std::uint64_t freedParts = 0;  ///< of objects that were on their way, and fetched models
  std::uint64_t freedPartBytes = 0;
  std::uint64_t keptObjects = 0;  ///< that versions or unnamed models need
  std::uint64_t keptBytes = 0;
  /// That no version needs yet, but a pull that is not over.
  std::uint64_t heldObjects = 0;
  std::uint64_t heldBytes = 0;
  std::uint64_t heldParts = 0;
  std::uint64_t heldPartBytes = 0;
  /// That no version needs, but parity, to bring back others that are lost.
  std::uint64_t parityObjects = 0;
  std::uint64_t parityBytes = 0;
  std::vector<UnnamedModel> unnamed;  ///< kept, or freed if that was asked for
  /// The same of models that cannot be restored, because one that they are differences to is gone
  /// or lacks packs. A repair gives them no name.
  std::vector<UnnamedModel> baseless;
  /// Refs that a repair set aside and whose models are not known, and what stays because of them:
  /// objects that nothing else leads to.
  std::vector<std::filesystem::path> setAside;
  std::uint64_t unknownObjects = 0;
  std::uint64_t unknownBytes = 0;
};

/// Deletes the objects that no version needs, live or in the trash: what a writer left that died
/// before its version had a ref, old manifests of versions that were repaired, and parents without
/// a name that nothing is a difference to any more. What is needed
/// is read from refs and manifests, not from the catalog. Takes the write lock, also in a dry run,
/// so it never meets what another writer is about to use. Killed, it has deleted some of them.
///
/// What pulls have fetched or count on stays, those that run and those that the catalog lists as
/// interrupted or failed; so do their parts. Other parts in STORE/partial go, and so do models that
/// interrupted imports had fetched.
///
/// A whole model that no name leads to stays, too, unless it is asked for: that is what is left of
/// a version whose ref and catalog were lost. A ref may have been set aside whose model is not
/// known: its manifest may be lost, and its packs not. Then all stays that nothing leads to.
///
/// `recode` lets go of removed versions that others are differences to: exact ones are coded anew,
/// against what the removed ones stand on or against each other. Content, names and all else of
/// them stay. A lossy version keeps what it stands on. What is recoded together is done or not
/// done.
///
/// Fails with CorruptData, and deletes nothing, if a ref or manifest cannot be read or a parent is
/// missing, because what is needed is then not known; StoreLocked, Cancelled, Io. With `recode` as
/// recodeVersion(), too.
Result<GarbageReport> collectGarbage(Store& store, const GarbageOptions& options,
                                     std::stop_token stop, const ProgressSink& progress = {});

}  // namespace strata
