#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/write/effort.h"
#include "core/device/device.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// What a recoded version is stored as a difference to.
enum class RecodeBase {
  Keep,       ///< what it is a difference to now
  Auto,       ///< the base of the store that serves best; that of its lineage where none does
  None,       ///< nothing: it is stored in full
  Reference,  ///< the version that `RecodeOptions::base` names
};

struct RecodeOptions {
  std::string reference = {};  ///< a live version
  RecodeBase baseChoice = RecodeBase::Keep;
  std::string base = {};              ///< a reference, for RecodeBase::Reference
  std::optional<Effort> effort = {};  ///< nothing: what the version was coded with
  bool force = false;                 ///< also where the version becomes larger
  bool dryRun = false;                ///< code and compare, write nothing
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed; null: the CPU
  ModelOpener reader = {};   ///< finds weights in graphs; empty: names alone tell which are alike
};

struct RecodeReport {
  enum class Outcome {
    Recoded,    ///< the new objects are in the store; of a dry run: they would be
    Unchanged,  ///< it is coded like this already
    NotSmaller  ///< nothing was done, for want of `force`: also where isUnlikeBase
  };
  Outcome outcome = Outcome::Recoded;
  VersionEntry version;  ///< as it is now; of a dry run as it was
  /// Of what was coded; the base that was named by its own name. Empty: stored in full.
  std::string parentLabel;
  std::string formerParentLabel;   ///< before
  std::vector<std::string> along;  ///< other versions that rested on the same objects, and still do
  std::uint64_t bytesBefore = 0;   ///< packs and manifest
  std::uint64_t bytesAfter = 0;
  bool isUnlikeBase = false;  ///< next to nothing of the base that was named is like it
  /// With that: one of the two has its weights as f64, the other has not. Nothing codes a
  /// difference of these, however equal they are.
  bool isOfDoubles = false;
  double seconds = 0;
};

/// Codes a stored version anew, in its place: against another base, with more effort, or in full.
/// Its content, number, tags, note and dates stay; so do versions that are differences to it, which
/// name it by content. Versions that share its objects, also those in the trash, come along. A
/// lossy version keeps the content that it restores to and what is recorded of its quality; it is
/// coded exactly.
///
/// What was coded is decoded and compared before anything changes. Then all refs change together.
/// The former objects stay until gc frees them, so that undo can take it back. A failure or
/// cancellation leaves the version as it was.
///
/// Fails with NotFound (reference, base, packs that are not here yet), InvalidArgument (the base is
/// rebuilt through the version itself, or the lineage would become too long), StoreLocked, NoSpace,
/// CorruptData (damage), Device, Cancelled, Io.
Result<RecodeReport> recodeVersion(Store& store, const RecodeOptions& options, std::stop_token stop,
                                   const ProgressSink& progress);

/// Whether the version that `base` names could become the base of one with `content`, which it
/// cannot where it is rebuilt through it. Fails as the catalog does, and with NotFound.
Result<bool> canBecomeBase(const Store& store, const std::string& base, const Digest& content);
/// Whether, by their signatures, some of `version` is like what `base` names, so that a difference
/// may pay. True where that is not known.
bool mayPayAsBase(const Store& store, const std::string& base, const VersionEntry& version);

/// Stores the content of `reference`, quantized as `tune.plan` says, as the next version of its
/// name; the version itself stays. Where nothing of a lossy version is lost, it stands for the new
/// one. `options` says the rest; its name is set here, and its base is that of the version's
/// lineage unless it names one. `reader`: as of RecodeOptions; PyTorch and .npz files need it,
/// since it finds the checksums of their weights. Fails as addQuantized(), and with InvalidArgument
/// for a base or for want of a reader.
Result<QuantizedAdd> recodeLossy(Store& store, const std::string& reference, AddOptions options,
                                 const TuneOptions& tune, const ModelOpener& reader,
                                 const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
