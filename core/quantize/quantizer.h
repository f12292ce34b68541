#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/version_writer.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/quantize/estimate.h"
#include "core/quantize/quantize_settings.h"
#include "core/quantize/version_record.h"
#include "core/result.h"

namespace strata {

/// What quantizing a model with one set of settings gives.
struct QuantizedCandidate {
  std::uint64_t packBytes = 0;
  Manifest manifest = {};  ///< without a record
  /// Of that, the sections of each kind of tensor; the rest is the manifest and what belongs to
  /// no tensor.
  std::map<TensorKind, std::uint64_t> kindBytes = {};
  double relativeError =
      0;  ///< L2 norm of (restored - model) / of (model - parent), quantized tensors
  std::vector<std::string> keptExact;  ///< tensors that could not be quantized (NaN, infinity)
  Digest contentDigest = {};           ///< of what it restores to

  /// What the version would take with this record: packs and manifest. Fails with LimitExceeded.
  Result<std::uint64_t> storedBytes(const VersionRecord& record) const;
};

/// Makes candidates of one model against one parent: what a search calls again and again.
/// Safe to use from several threads.
class Quantizer {
 public:
  /// `model` must outlive the quantizer. `gradients` is a safetensors model with the same tensor
  /// names and shapes, or null. `device` searches for patterns; borrowed; null: the CPU. `effort`
  /// is that of tensors which stay exact. `isBaseNamed`: see pairByName(). Fails with
  /// InvalidArgument where gradients differ, naming the tensor.
  static Result<std::unique_ptr<Quantizer>> open(
      const ModelSource& model, std::shared_ptr<const VersionReader> parent,
      const ModelSource* gradients, std::uint64_t memoryBytes, Device* device = nullptr,
      Effort effort = Effort::Default, bool isBaseNamed = false);
  ~Quantizer();

  /// What writeVersion() needs to write the candidate of `settings`; valid as long as the
  /// quantizer. Fails as reading the parent does.
  Result<WriteOptions> writeOptions(const QuantizeSettings& settings) const;

  /// Quantizes everything with `settings`. Where `folder` is not empty the restored model is
  /// written into it, file by file under its own name (files of an earlier candidate there are
  /// reused: only weights are written again). Fails as encodeLossy, with Cancelled, NoSpace, Io.
  Result<QuantizedCandidate> make(const QuantizeSettings& settings,
                                  const std::filesystem::path& folder,
                                  const std::stop_token& stop) const;

  /// What a version with this record would take and lose, judged from a sample of the parts: in a
  /// fraction of the time of make(). Fails as make() does.
  Result<SampledEstimate> estimate(const QuantizeSettings& settings, const SampleSize& size,
                                   const std::stop_token& stop,
                                   const VersionRecord& record = {}) const;

 private:
  struct State;
  explicit Quantizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
