#include "core/ops/inspect/bench_field.h"

#include <system_error>

#include "core/io/owned/scratch_folders.h"
#include "core/ops/inspect/detail/field_systems.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/restore_version.h"
#include "core/parallel.h"
#include "core/profile/profile.h"
#include "core/store/objects/probe.h"
#include "core/store/store_location.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaseName = "base";
constexpr const char* kModelName = "model";

/// One call of benchField.
class FieldBench {
 public:
  FieldBench(const ModelSource& model, const FieldOptions& options, const std::stop_token& stop,
             const ProgressSink& progress)
      : model_(model), options_(options), stop_(stop), progress_(progress) {}

  Result<FieldReport> run() {
    report_.threads = threadCount();
    report_.originalBytes = originalBytes(model_.description());
    // The base as a file, both in the store, and the model restored.
    constexpr std::uint64_t kCopies = 4;
    STRATA_TRY(ScratchFolders folders,
               ScratchFolders::make(kCopies * report_.originalBytes, 1, options_.place));
    folder_ = folders.take();
    STRATA_TRY(store_, Store::create(folder_ / "store"));
    STRATA_TRY(importTheBase());
    if (options_.evaluator) {
      STRATA_TRY(evaluator_, Evaluator::start(*options_.evaluator, options_.modelPath, stop_));
      report_.reference = evaluator_->reference();
    }
    for (const FieldSystem& system : fieldSystems()) {
      if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      FieldRow row{.system = std::string(system.name),
                   .source = std::string(system.source),
                   .method = std::string(system.method),
                   .isOurs = system.source == "Strata",
                   .lossy = system.codec.empty()};
      if (auto measured = measure(system, row); !measured) {
        if (measured.error().code == ErrorCode::Cancelled) return fail(measured.error());
        row.problem = measured.error().message;
      }
      if (options_.onRow) options_.onRow(row);
      report_.rows.push_back(std::move(row));
      STRATA_TRY(clear());
    }
    // The store lies in the folder that goes.
    store_.reset();
    return std::move(report_);
  }

 private:
  Result<void> importTheBase() {
    fs::path path = options_.baseFile;
    if (path.empty()) {
      STRATA_TRY(const VersionEntry version, options_.store->resolve(options_.baseReference));
      path = folder_ / "base-model";
      std::error_code status;
      fs::create_directories(path, status);
      STRATA_TRY(const RestoreReport restored,
                 restoreVersion(*options_.store,
                                {.reference = version.label(), .target = path, .force = true},
                                stop_, progress_));
      if (version.fileCount == 1) path = restored.files.front();
    }
    STRATA_TRY(const auto base, options_.open(path));
    STRATA_TRY(const AddReport added,
               importBase(*store_, *base, {.name = kBaseName, .memoryBytes = options_.memoryBytes},
                          stop_, progress_));
    report_.baseBytes = added.version.storedBytes;
    return {};
  }

  Result<AddOptions> optionsOf(const FieldSystem& system) const {
    AddOptions add{.name = kModelName,
                   .baseChoice = BaseChoice::Reference,
                   .base = kBaseName,
                   .chain = ChainPolicy::Never,
                   .memoryBytes = options_.memoryBytes,
                   .device = options_.device};
    if (!system.codec.empty()) {
      add.codec = system.codec;
      add.effort = effortFromName(system.effort).value_or(Effort::Default);
      return add;
    }
    std::string settings(system.settings);
    if (settings.empty()) {
      STRATA_TRY(const Profile profile, loadProfile({}, system.method));
      settings = profile.text;
      add.quantize = profile.plan.quantize;
    } else {
      STRATA_TRY(const QualityPlan plan, parseQualityPlan(settings, std::string(system.name)));
      add.quantize = plan.quantize;
    }
    add.profile = system.settings.empty() ? std::string(system.method) : "custom";
    add.quantizeText = std::move(settings);
    return add;
  }

  /// What storing and restoring tell, as one job of all systems.
  ProgressSink progressOfAll(std::uint64_t doneBytes) const {
    if (!progress_) return {};
    return [this, doneBytes](Progress progress) {
      progress.phase = "measuring";
      progress.doneBytes += doneBytes;
      progress.totalBytes = 2 * fieldSystems().size() * report_.originalBytes;
      progress_(progress);
    };
  }

  Result<void> measure(const FieldSystem& system, FieldRow& row) {
    STRATA_TRY(const AddOptions options, optionsOf(system));
    const std::uint64_t before = 2 * report_.rows.size() * report_.originalBytes;
    STRATA_TRY(const AddReport added,
               addVersion(*store_, model_, options, stop_, progressOfAll(before)));
    row.storedBytes = added.version.storedBytes;
    row.addSeconds = added.seconds;
    row.relativeError = added.relativeError;
    const bool isFile = added.version.fileCount == 1;
    const fs::path target = folder_ / "restored";
    std::error_code status;
    fs::create_directories(target, status);
    STRATA_TRY(const RestoreReport restored, restoreVersion(*store_,
                                                            {.reference = kModelName,
                                                             .target = target,
                                                             .force = true,
                                                             .verify = true,
                                                             .device = options_.device},
                                                            stop_, progress_));
    row.restoreSeconds = restored.seconds;
    if (evaluator_ == nullptr || !row.lossy) return {};
    STRATA_TRY(const Evaluation found,
               evaluator_->evaluate(isFile ? restored.files.front() : target, stop_));
    row.score = scoreChange(evaluator_->reference(), found);
    return {};
  }

  /// Makes room: the next system is to find nothing of this one's.
  Result<void> clear() {
    STRATA_TRY(const auto newest, store_->catalog().newest(kModelName));
    if (!newest) return {};
    STRATA_TRY(
        removeVersions(*store_, {.references = {kModelName}, .allVersions = true, .now = true}));
    return {};
  }

  const ModelSource& model_;
  const FieldOptions& options_;
  const std::stop_token& stop_;
  const ProgressSink& progress_;
  fs::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Evaluator> evaluator_;
  FieldReport report_;
};

}  // namespace

Result<FieldReport> benchField(const ModelSource& model, const FieldOptions& options,
                               const std::stop_token& stop, const ProgressSink& progress) {
  if (!options.place.empty()) STRATA_TRY(refuseInsideStore(options.place));
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  return FieldBench(model, options, stop, progress).run();
}

}  // namespace strata
