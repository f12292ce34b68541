#include "core/quantize/quantizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/version_writer.h"
#include "core/codec/predict/singular_cache.h"
#include "core/io/os_error.h"
#include "core/quantize/joint_pruning.h"
#include "core/quantize/moment_choice.h"
#include "core/quantize/named_pairs.h"
#include "core/quantize/pooled_scores.h"
#include "core/quantize/sampled_estimate.h"
#include "core/quantize/sensitivity.h"
#include "core/quantize/tensor_choice.h"

namespace strata {
namespace {

/// Files of a candidate, written in place: one that has the right size keeps its pages.
class CandidateFiles {
 public:
  explicit CandidateFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~CandidateFiles() { close(); }
  CandidateFiles(const CandidateFiles&) = delete;
  CandidateFiles& operator=(const CandidateFiles&) = delete;

  Result<void> write(const ModelFile& file, std::uint64_t offset,
                     std::span<const std::byte> bytes) {
    if (offset == 0 || descriptor_ < 0) STRATA_TRY(open(file));
    while (!bytes.empty()) {
      const ssize_t n =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(osError(folder_ / file.path, "write", errno));
      offset += static_cast<std::uint64_t>(n);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
  }

  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  Result<void> open(const ModelFile& file) {
    close();
    const std::filesystem::path path = folder_ / file.path;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0) return fail(osError(path, "write", errno));
    if (::ftruncate(descriptor_, static_cast<off_t>(file.bytes.size())) != 0) {
      return fail(osError(path, "write", errno));
    }
    return {};
  }

  std::filesystem::path folder_;
  int descriptor_ = -1;
};

bool asksForJointPruning(const QuantizeSettings& settings) {
  return std::ranges::any_of(settings.rules, [](const QuantizeRule& rule) {
    const bool isOfMoments = rule.kind && isOptimizerState(*rule.kind);
    return rule.pruneAlpha.value_or(0) > 0 || (isOfMoments && rule.codec == CodecId::Levels);
  });
}

}  // namespace

struct Quantizer::State {
  /// Of the ceiling decompositions are kept in a share: a trial needs the rest.
  static constexpr std::uint64_t kCacheShare = 8;

  State(const ModelSource& source, std::shared_ptr<const VersionReader> base, std::uint64_t memory,
        Device* patternDevice, Effort exactEffort)
      : model(source),
        parent(std::move(base)),
        memoryBytes(memory),
        device(patternDevice),
        effort(exactEffort),
        singular(memory / kCacheShare) {}

  const ModelSource& model;
  std::shared_ptr<const VersionReader> parent;
  std::uint64_t memoryBytes;
  Device* device;
  Effort effort;
  ModelPlan plan;
  ChangeScale scale;
  std::vector<TensorSensitivity> gradients = {};  ///< empty: none are given
  SingularCache singular;
  std::mutex mutex = {};
  std::map<Sensitivity, std::vector<TensorSensitivity>> used = {};  ///< once asked for
  std::optional<std::map<TensorKind, PooledScores>> pooled = {};    ///< likewise
  std::optional<JointPruning> joint = {};                           ///< likewise
  std::mutex sampleMutex = {};                                      ///< guards samplePlan
  std::optional<SamplePlan> samplePlan = {};                        ///< made for the first estimate

  PartEncoder encoder() const {
    return PartEncoder(model.description(), parent.get(), Effort::Default, {});
  }

  bool hasConvolutions() const {
    const auto& all = model.description().tensors;
    return std::any_of(all.begin(), all.end(), [](const TensorInfo& tensor) {
      return tensor.kind == TensorKind::Convolution;
    });
  }

  static constexpr double kNormStep = 0.5;

  /// Empty where all errors are alike.
  Result<std::span<const TensorSensitivity>> sensitivities(Sensitivity wish) {
    const std::lock_guard lock(mutex);
    const bool isBlind = gradients.empty() && wish == Sensitivity::Auto;
    const auto [found, isNew] = used.try_emplace(wish);
    std::vector<TensorSensitivity>& all = found->second;
    if (!isNew || wish == Sensitivity::None || (isBlind && !hasConvolutions())) return all;
    all = gradients;
    if (all.empty()) {
      STRATA_TRY(all, sensitivityOfNorms(model.description(), plan, encoder()));
    }
    for (std::size_t t = 0; t < all.size(); ++t) {
      if (wish != Sensitivity::Rows) all[t].rows = all[t].columns = {};
      const TensorKind kind = model.description().tensors[t].kind;
      if (isBlind && kind != TensorKind::Convolution) all[t].stepFactor = 1;
      // Norms between convolutions scale and shift whole channels.
      const bool isBetween = kind == TensorKind::Norm && hasConvolutions();
      if (gradients.empty() && isBetween) all[t].stepFactor = kNormStep;
    }
    return all;
  }

  const JointPruning& jointPruning() {
    const std::lock_guard lock(mutex);
    if (!joint) {
      joint.emplace(model.description(), plan, parent.get(),
                    MomentChoices::pairsOf(model.description()));
    }
    return *joint;
  }

  Result<const std::map<TensorKind, PooledScores>*> pooledScores() {
    const std::lock_guard lock(mutex);
    if (!pooled) {
      STRATA_TRY(pooled, poolScores(model.description(), plan, encoder(), gradients));
    }
    return &*pooled;
  }
};

Quantizer::Quantizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Quantizer::~Quantizer() = default;

Result<std::unique_ptr<Quantizer>> Quantizer::open(const ModelSource& model,
                                                   std::shared_ptr<const VersionReader> parent,
                                                   const ModelSource* gradients,
                                                   std::uint64_t memoryBytes, Device* device,
                                                   Effort effort, bool isBaseNamed) {
  auto state = std::make_unique<State>(model, std::move(parent), memoryBytes, device, effort);
  if (gradients != nullptr) {
    STRATA_TRY(state->gradients,
               sensitivityOfGradients(model.description(), gradients->description()));
  }
  STRATA_TRY(state->plan, planModel(model.description(), state->parent.get()));
  if (isBaseNamed) STRATA_TRY(pairByName(state->plan, state->encoder()));
  STRATA_TRY(state->scale, measureChangeScale(model.description(), state->plan, state->encoder()));
  return std::unique_ptr<Quantizer>(new Quantizer(std::move(state)));
}

Result<WriteOptions> Quantizer::writeOptions(const QuantizeSettings& settings) const {
  WriteOptions options;
  STRATA_TRY(const auto sensitivities, state_->sensitivities(settings.sensitivity));
  options.lossy =
      chooseForTensors(state_->model.description(), settings, state_->scale, sensitivities);
  for (std::size_t t = 0; t < options.lossy.size(); ++t) {
    if (!options.lossy[t]) continue;
    LossyChoice& choice = *options.lossy[t];
    choice.settings.singular.cache = &state_->singular;
    if (choice.settings.pruneShare == 0 && choice.settings.protectShare == 0) continue;
    STRATA_TRY(const auto* pooled, state_->pooledScores());
    const auto found = pooled->find(state_->model.description().tensors[t].kind);
    if (found != pooled->end()) setThresholds(found->second, choice);
  }
  if (asksForJointPruning(settings)) {
    STRATA_TRY(state_->jointPruning().apply(options.lossy));
  }
  options.plan = &state_->plan;
  options.effort = state_->effort;
  options.memoryBytes = state_->memoryBytes;
  options.device = state_->device;
  return options;
}

Result<QuantizedCandidate> Quantizer::make(const QuantizeSettings& settings,
                                           const std::filesystem::path& folder,
                                           const std::stop_token& stop) const {
  STRATA_TRY(WriteOptions options, writeOptions(settings));
  options.hashOriginal = false;
  CandidateFiles files(folder);
  const ModelDescription& model = state_->model.description();
  if (!folder.empty()) {
    options.restored = [&](std::uint32_t file, std::uint64_t offset,
                           std::span<const std::byte> bytes) {
      return files.write(model.files[file], offset, bytes);
    };
  }
  DiscardedObjects nowhere;
  STRATA_TRY(WriteReport report,
             writeVersion(state_->model, state_->parent, options, nowhere, stop, {}));
  QuantizedCandidate candidate{.packBytes = report.packBytes,
                               .relativeError = report.error.relative(),
                               .keptExact = report.keptExact,
                               .contentDigest = report.contentDigest};
  for (std::size_t t = 0; t < report.manifest.tensors.size(); ++t) {
    const TensorKind kind = model.tensors[t].kind;
    candidate.kindBytes[kind] += storedBytes(report.manifest.tensors[t]);
  }
  candidate.manifest = std::move(report.manifest);
  return candidate;
}

Result<std::uint64_t> QuantizedCandidate::storedBytes(const VersionRecord& record) const {
  return bytesWithRecord(packBytes, manifest, record);
}

Result<SampledEstimate> Quantizer::estimate(const QuantizeSettings& settings,
                                            const SampleSize& size, const std::stop_token& stop,
                                            const VersionRecord& record) const {
  State& state = *state_;
  {
    const std::lock_guard lock(state.sampleMutex);
    if (!state.samplePlan) {
      STRATA_TRY(state.samplePlan, planSample(state.model.description(), state.parent.get(),
                                              state.plan, state.scale));
    }
  }
  STRATA_TRY(WriteOptions options, writeOptions(settings));
  return estimateFromSample(state.model, state.parent.get(), std::move(options), *state.samplePlan,
                            size, record, stop);
}

}  // namespace strata
