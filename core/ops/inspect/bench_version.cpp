#include "core/ops/inspect/bench_version.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/io/owned/scratch_folders.h"
#include "core/io/temp_file.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/detail/memory_peak.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/restore_version.h"
#include "core/parallel.h"
#include "core/profile/quality_plan.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_location.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Bytes copied at once: more than the caches of most machines hold.
constexpr std::size_t kCopyBytes = std::size_t{64} << 20;

/// `count` bytes that no disk takes for zeros.
std::vector<std::byte> filled(std::uint64_t count) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(count, kCopyBytes));
  std::uint32_t state = 1;
  for (std::byte& b : bytes) {
    state = state * 1664525U + 1013904223U;
    b = static_cast<std::byte>(state >> 24U);
  }
  return bytes;
}

/// One call of benchVersion.
class Bench {
 public:
  Bench(Store& store, const BenchOptions& options, const std::stop_token& stop,
        const ProgressSink& progress)
      : store_(store), options_(options), stop_(stop), progress_(progress) {}

  Result<BenchReport> run() {
    STRATA_TRY(report_.version, find());
    STRATA_TRY(addOptions_, optionsOfAdd());
    report_.effort = addOptions_.effort;
    report_.threads = threadCount();
    const std::uint64_t bytes = report_.version.originalBytes;
    // The model and, before it is there, the bytes of the plain file or those being restored.
    STRATA_TRY(ScratchFolders folders, ScratchFolders::make(2 * bytes, 1, options_.place));
    folder_ = folders.take();
    for (unsigned round = 0; round < options_.rounds; ++round) {
      STRATA_TRY(measureCopies());
      STRATA_TRY(timed(report_.restore, [&] { return restore(); }));
      doneBytes_ += bytes;
      STRATA_TRY(timed(report_.add, [&] { return add(); }));
      doneBytes_ += bytes;
    }
    return std::move(report_);
  }

 private:
  Result<VersionEntry> find() {
    STRATA_TRY(const Lineage lineage, Lineage::load(store_.catalog()));
    VersionEntry found;
    if (options_.reference.empty()) {
      STRATA_TRY(const auto versions, store_.catalog().versions());
      if (versions.empty()) return fail(ErrorCode::NotFound, "the store holds no version yet");
      // Of those of one second, the difference rather than its base.
      const auto order = [](const VersionEntry& v) { return std::tuple(v.addedAt, v.depth); };
      found = *std::max_element(versions.begin(), versions.end(),
                                [&](const auto& a, const auto& b) { return order(a) < order(b); });
    } else {
      STRATA_TRY(found, store_.resolve(options_.reference));
    }
    report_.parentLabel = lineage.parentLabel(found);
    return found;
  }

  /// What coded the version, as far as it is known.
  Result<AddOptions> optionsOfAdd() const {
    const VersionEntry& version = report_.version;
    AddOptions add{.name = version.name,
                   .baseChoice = version.isBase() ? BaseChoice::None : BaseChoice::Reference,
                   .base = report_.parentLabel,
                   .chain = ChainPolicy::Never,
                   .effort = options_.effort.value_or(
                       effortFromName(version.effort).value_or(Effort::Default)),
                   .profile = version.profile,
                   .dryRun = true,
                   .codeAnew = true,
                   .memoryBytes = options_.memoryBytes,
                   .device = options_.device};
    if (!version.lossy) return add;
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, version.manifestDigest, version.contentDigest));
    if (manifest.settings.empty()) return add;  // its weights are exact
    STRATA_TRY(const QualityPlan plan,
               parseQualityPlan(manifest.settings, "settings of " + version.label()));
    add.quantize = plan.quantize;
    add.quantizeText = manifest.settings;
    return add;
  }

  template <typename Work>
  Result<void> timed(BenchTimes& times, Work&& work) const {
    if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const MemoryPeak peak;
    const Stopwatch watch;
    STRATA_TRY(work());
    times.seconds.push_back(watch.seconds());
    times.peakBytes = std::max(times.peakBytes, peak.bytes());
    return {};
  }

  /// What restoring and adding tell, as one job of all rounds.
  ProgressSink progressOfAll() const {
    if (!progress_) return {};
    return [this](Progress progress) {
      progress.phase = "measuring";
      progress.doneBytes += doneBytes_;
      progress.totalBytes = 2 * options_.rounds * report_.version.originalBytes;
      progress_(progress);
    };
  }

  /// Calls `take(bytes)` until the model's size is reached.
  template <typename Take>
  Result<void> forAllBytes(const std::vector<std::byte>& source, Take&& take) const {
    for (std::uint64_t left = report_.version.originalBytes; left > 0;) {
      const std::size_t count = std::min<std::uint64_t>(left, source.size());
      STRATA_TRY(take(std::span(source).first(count)));
      left -= count;
    }
    return {};
  }

  /// Gives back what it takes, so that it does not count as memory of the others.
  Result<void> measureCopies() {
    const std::vector<std::byte> source = filled(report_.version.originalBytes);
    std::vector<std::byte> target = source;
    STRATA_TRY(timed(report_.copy, [&] {
      return forAllBytes(source, [&](std::span<const std::byte> bytes) -> Result<void> {
        std::memcpy(target.data(), bytes.data(), bytes.size());
        return {};
      });
    }));
    return timed(report_.write, [&] { return write(source); });
  }

  Result<void> write(const std::vector<std::byte>& source) const {
    STRATA_TRY(TempFile file, TempFile::create(folder_, "plain"));
    STRATA_TRY(forAllBytes(source, [&](auto bytes) { return file.append(bytes); }));
    return file.sync();
  }

  Result<void> restore() {
    const bool isFile = report_.version.fileCount == 1;
    const fs::path target = isFile ? folder_ : folder_ / "model";
    STRATA_TRY(const RestoreReport restored, restoreVersion(store_,
                                                            {.reference = report_.version.label(),
                                                             .target = target,
                                                             .force = true,
                                                             .device = options_.device},
                                                            stop_, progressOfAll()));
    model_ = isFile ? restored.files.front() : target;
    return {};
  }

  Result<void> add() {
    STRATA_TRY(const auto model, options_.open(model_));
    STRATA_TRY(const AddReport added,
               addVersion(store_, *model, addOptions_, stop_, progressOfAll()));
    report_.codedBytes = added.version.storedBytes;
    return {};
  }

  Store& store_;
  const BenchOptions& options_;
  const std::stop_token& stop_;
  const ProgressSink& progress_;
  AddOptions addOptions_;
  fs::path folder_;
  fs::path model_;               ///< as restored last
  std::uint64_t doneBytes_ = 0;  ///< of all rounds
  BenchReport report_;
};

}  // namespace

double BenchTimes::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return 0;
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double BenchTimes::fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
double BenchTimes::slowest() const { return *std::max_element(seconds.begin(), seconds.end()); }

Result<BenchReport> benchVersion(Store& store, const BenchOptions& options,
                                 const std::stop_token& stop, const ProgressSink& progress) {
  if (options.rounds == 0) return fail(ErrorCode::InvalidArgument, "bench: 0 rounds, 1 is least");
  if (!options.place.empty()) STRATA_TRY(refuseInsideStore(options.place));
  if (options.device != nullptr) STRATA_TRY(options.device->require());
  return Bench(store, options, stop, progress).run();
}

}  // namespace strata
