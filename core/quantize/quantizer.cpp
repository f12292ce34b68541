#include "core/quantize/quantizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/archive/discarded_objects.h"
#include "core/archive/version_writer.h"
#include "core/io/os_error.h"
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

}  // namespace

struct Quantizer::State {
  const ModelSource& model;
  std::shared_ptr<const VersionReader> parent;
  std::uint64_t memoryBytes;
  ModelPlan plan;
  ChangeScale scale;
  std::vector<double> stepFactors;  ///< by sensitivity; empty: not known
};

Quantizer::Quantizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Quantizer::~Quantizer() = default;

Result<std::unique_ptr<Quantizer>> Quantizer::open(const ModelSource& model,
                                                   std::shared_ptr<const VersionReader> parent,
                                                   const ModelSource* gradients,
                                                   std::uint64_t memoryBytes) {
  auto state = std::make_unique<State>(State{model, std::move(parent), memoryBytes, {}, {}, {}});
  if (gradients != nullptr) {
    STRATA_TRY(state->stepFactors, stepFactors(model.description(), gradients->description()));
  }
  STRATA_TRY(state->plan, planModel(model.description(), state->parent.get()));
  const PartEncoder encoder(model.description(), state->parent.get(), Effort::Default, {});
  STRATA_TRY(state->scale, measureChangeScale(model.description(), state->plan, encoder));
  return std::unique_ptr<Quantizer>(new Quantizer(std::move(state)));
}

double Quantizer::rmsOfChange() const noexcept { return state_->scale.matrices; }

WriteOptions Quantizer::writeOptions(const QuantizeSettings& settings) const {
  WriteOptions options;
  options.lossy =
      chooseForTensors(state_->model.description(), settings, state_->scale, state_->stepFactors);
  options.plan = &state_->plan;
  options.memoryBytes = state_->memoryBytes;
  return options;
}

Result<QuantizedCandidate> Quantizer::make(const QuantizeSettings& settings,
                                           const std::filesystem::path& folder,
                                           const std::stop_token& stop) const {
  WriteOptions options = writeOptions(settings);
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
  STRATA_TRY(const WriteReport report,
             writeVersion(state_->model, state_->parent, options, nowhere, stop, {}));
  return QuantizedCandidate{report.storedBytes, report.error.relative(), report.keptExact};
}

}  // namespace strata
