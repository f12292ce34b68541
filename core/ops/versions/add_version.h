#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/write/effort.h"
#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/ops/inspect/role_errors.h"
#include "core/progress.h"
#include "core/quantize/estimate.h"
#include "core/quantize/exact_types.h"
#include "core/quantize/quantize_settings.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct StepGroup;
class VersionReader;

/// What the version is stored as a difference to.
enum class BaseChoice {
  Auto,       ///< the lineage of the newest version of the name, or what is clearly better
  None,       ///< nothing: it becomes a base
  Reference,  ///< the version that `AddOptions::base` names
};

/// Whether a new version may be a difference to the newest version of its name.
enum class ChainPolicy {
  Auto,   ///< where that is estimated smaller than a difference to the base
  Never,  ///< always against the base
  Always  ///< as long as the chain does not get too deep
};

/// Deepest chain that `add` makes: parents to decode before a version.
inline constexpr std::uint32_t kMaxChainDepth = 8;

struct AddOptions {
  std::string name = {};
  BaseChoice baseChoice = BaseChoice::Auto;
  std::string base = {};  ///< a reference, for BaseChoice::Reference
  ChainPolicy chain = ChainPolicy::Auto;
  Effort effort = Effort::Default;
  std::string codec = "auto";
  std::string profile = "exact";
  std::string note = {};
  std::vector<std::string> tags = {};  ///< put on the version; moved here if another one has them
  std::string sourceUrl = {};
  std::string license = {};
  std::string command = {};  ///< token that all additions of one command have; see Operation
  bool dryRun = false;       ///< code and measure, write nothing
  bool codeAnew = false;     ///< of a dry run: also where the content is stored already
  /// For `import`: the name has to be free, and what is here as a difference is stored in full.
  bool isNewBase = false;
  /// Any version of the name that has the content stands for the model, whatever its permission
  /// bits; else the newest alone does. Snapshots, lists of models and lossy recodings set it. A
  /// model that has next to nothing of the version before it is a base of its own then, also with
  /// ChainPolicy::Always.
  bool anyStands = false;
  bool compareExact = false;  ///< of a quantized version: find out if the exact one is no larger
  std::uint64_t exactWithin = 0;  ///< with compareExact: or takes no more than so many bytes
  /// Asked, with the bytes that were coded, before anything is listed; an error is addVersion's.
  std::function<Result<void>(std::uint64_t storedBytes)> accept = {};
  std::optional<Digest> expectedContent = {};     ///< a model of other content is refused
  std::optional<QuantizeSettings> quantize = {};  ///< lossy; nothing: exactly
  std::string quantizeText = {};                  ///< the settings as TOML, recorded for people
  const ModelSource* gradients = nullptr;         ///< see Quantizer; null: none
  std::vector<QualityScore> quality = {};         ///< measured scores of `quantize`, recorded
  std::optional<Digest> qualityOf = {};           ///< see RecordOptions
  /// Asked for the tensors that an optimizer's step from this parent ties together
  /// (core/archive/write/steps/step_plan.h). Without it they are found. Of exact versions alone.
  std::function<std::vector<StepGroup>(const VersionReader& parent)> stepsFrom = {};
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< encodes large differences, finds patterns; borrowed
};

/// A base that was asked for and has next to nothing of the model.
struct BaseMisfit {
  std::string base;
  std::string better;  ///< the base that the store would have taken; empty: none is like the model
};

struct MovedTag {
  std::string tag;   ///< "sst2:prod"
  std::string from;  ///< the version that had it: "sst2:v1"
};

struct AddReport {
  enum class Outcome {
    Stored,     ///< new objects were written
    Shared,     ///< the same content was here under another name or number: 0 bytes stored
    Unchanged,  ///< the newest version of the name has this content; no new version
    Repaired,   ///< the same, but it was damaged and was written anew
    Completed,  ///< the same, but it was pulled without its packs, which are here now
    DryRun,     ///< what Stored would have been; `version` is not in the store
  };
  Outcome outcome = Outcome::Stored;
  VersionEntry version;
  std::string parentLabel;  ///< "sst2:v1"; empty for a base
  std::string baseLabel;    ///< the root of the lineage; empty for a base
  std::string sharedLabel;  ///< for Shared: a version that had the content before
  /// The newest version of the name had the content, with other permission bits.
  bool hasOtherModes = false;
  /// Versions of this content whose objects were damaged or missing: they restore again, and so do
  /// those that are differences to them. In a dry run those that would be.
  std::vector<std::string> repaired;
  /// Of those the ones that were pulled without their packs, and have them now.
  std::vector<std::string> completed;
  std::vector<std::string> newTags;  ///< put on a version that was here already: "sst2:prod"
  bool baseWasChosen = false;        ///< the base was found by the store, not named by the caller
  std::optional<BaseMisfit> misfit;  ///< of the base that the caller named
  /// The version of the name that the model would have been a difference to, and that has next to
  /// nothing of it: it became a base of its own.
  std::string unlikeBase;
  /// The first version that it would have been a difference to, and that is damaged or not here.
  std::string damagedParent;
  std::string parentPull;  ///< what brings its packs: "strata pull sst2:v1"; empty: it is damaged
  std::vector<MovedTag> movedTags;  ///< taken from other versions
  bool hasNewNote = false;          ///< a version that was here already has another note now
  std::string formerNote;           ///< what that was
  bool hasNewSource = false;        ///< one that was here without a source has it now
  /// What the exact version would take, where it is no larger than the lossy one or than
  /// AddOptions::exactWithin (compareExact).
  std::optional<std::uint64_t> exactBytes;
  /// Lossy: L2 norm of what is lost over that of the difference to the parent. Without a parent,
  /// over that of the weights. Of the tensors that are quantized.
  std::optional<double> relativeError;
  std::vector<RoleError> roleErrors;   ///< lossy: of the optimizer's moments, where quantized
  bool dryRun = false;                 ///< nothing was written, whatever the outcome
  std::vector<std::string> keptExact;  ///< lossy: tensors stored exactly, and why
  std::vector<QualityScore> quality;   ///< lossy: the scores that are recorded of it
  ExactTypes exactTypes;               ///< lossy: those that are stored exactly for their types
  double seconds = 0;

  /// Whether a lossy version has nothing of the change: it restores to the parent's own weights,
  /// but for tensors that the parent does not have.
  bool keepsNoChange() const noexcept {
    const bool isLike = version.sameTensors > 0 || version.newTensors == 0;
    return relativeError && *relativeError > 0 && version.changedTensors == 0 && isLike &&
           version.relativeChange == 0 && !parentLabel.empty();
  }

  /// Whether the parent itself is nearer to the model than what was stored.
  bool isFurtherThanParent() const noexcept {
    return relativeError && strata::isFurtherThanParent(*relativeError) && !parentLabel.empty();
  }
};

/// Stores `model` as the next version of a name, exactly or, with options.quantize, as near as that
/// says. Everything is decoded and compared before
/// it is reported; a failure or cancellation leaves the store as it was. The model's files are only
/// read.
///
/// Options are checked first, whatever is stored. Where the content is stored already, note and
/// tags are given to the version of the name that has it, and source and license where it has
/// none; how that is coded stays (recode_version.h).
///
/// Where the content is stored already, the objects of those versions are hashed; damaged ones are
/// replaced by a sound version's, or by the model coded anew: a base as a base again. Nothing of
/// the old ones is deleted before that is on the disk.
///
/// Fails with InvalidArgument (also for a name in use, with isNewBase), NotFound (the base),
/// StoreLocked, NoSpace, CorruptData (a damaged parent, other content than expected),
/// LimitExceeded, Cancelled, Io, and with Device where a GPU was insisted on and there is none, or
/// it fails.
Result<AddReport> addVersion(Store& store, const ModelSource& model, const AddOptions& options,
                             std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
