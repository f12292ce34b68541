#include "core/search/model_trials.h"

#include "core/store/objects/probe.h"

namespace strata {
namespace {

/// What an evaluator is asked to score in a folder that holds the model's files: the one model
/// file, or the folder where there are several.
std::filesystem::path evaluatedPath(const ModelDescription& model,
                                    const std::filesystem::path& folder) {
  std::vector<const ModelFile*> models;
  for (const ModelFile& file : model.files) {
    const bool isModel = file.kind == FileKind::Onnx || file.kind == FileKind::Safetensors ||
                         file.kind == FileKind::PyTorch || file.kind == FileKind::Npz;
    if (isModel) models.push_back(&file);
  }
  const bool isOne = models.size() == 1 && model.format != "folder";
  return isOne ? folder / models.front()->path : folder;
}

}  // namespace

Result<std::unique_ptr<ModelTrials>> ModelTrials::open(const Quantizer& quantizer,
                                                       const ModelDescription& model,
                                                       EvaluatorPool* evaluators,
                                                       RecordOf recordOf) {
  const std::size_t count = evaluators == nullptr ? 0 : evaluators->count();
  STRATA_TRY(ScratchFolders folders, ScratchFolders::make(originalBytes(model), count));
  return std::unique_ptr<ModelTrials>(
      new ModelTrials(quantizer, model, evaluators, std::move(recordOf), std::move(folders)));
}

Result<Measured> ModelTrials::measuredOf(const QuantizeSettings& settings,
                                         const QuantizedCandidate& candidate,
                                         std::optional<Evaluation> evaluation) const {
  const VersionRecord record =
      recordOf_(settings, candidate.contentDigest, evaluation ? &*evaluation : nullptr);
  STRATA_TRY(const std::uint64_t storedBytes, candidate.storedBytes(record));
  return Measured{.storedBytes = storedBytes,
                  .kindBytes = candidate.kindBytes,
                  .relativeError = candidate.relativeError,
                  .evaluation = std::move(evaluation),
                  .contentDigest = candidate.contentDigest};
}

Result<Evaluation> ModelTrials::scored(EvaluatorPool& evaluators, const QuantizeSettings& settings,
                                       QuantizedCandidate& candidate, const std::stop_token& stop) {
  std::filesystem::path folder = folders_.take();
  auto made = quantizer_.make(settings, folder, stop);
  Result<Evaluation> evaluation = Evaluation{};
  if (made) evaluation = evaluators.evaluate(evaluatedPath(model_, folder), stop);
  folders_.give(std::move(folder));
  if (!made) return fail(std::move(made).error());
  candidate = std::move(*made);
  return evaluation;
}

Result<Measured> ModelTrials::measure(const QuantizeSettings& settings, bool wantsScore,
                                      const std::stop_token& stop) {
  if (!wantsScore || evaluators_ == nullptr) {
    STRATA_TRY(const QuantizedCandidate candidate, quantizer_.make(settings, {}, stop));
    return measuredOf(settings, candidate, std::nullopt);
  }
  QuantizedCandidate candidate;
  STRATA_TRY(Evaluation evaluation, scored(*evaluators_, settings, candidate, stop));
  return measuredOf(settings, candidate, std::move(evaluation));
}

Result<Evaluation> ModelTrials::scoreWith(EvaluatorPool& evaluators,
                                          const QuantizeSettings& settings,
                                          const std::stop_token& stop) {
  QuantizedCandidate candidate;
  return scored(evaluators, settings, candidate, stop);
}

}  // namespace strata
