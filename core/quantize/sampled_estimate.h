#pragma once

#include <stop_token>
#include <vector>

#include "core/archive/write/write_options.h"
#include "core/quantize/estimate.h"
#include "core/quantize/tensor_choice.h"
#include "core/quantize/version_record.h"

namespace strata {

/// What samples are taken from: the parts of a model, with tall ones cut into bands.
struct SamplePlan {
  ModelPlan plan;
  std::vector<double> sizeSquares;    ///< of what a part codes; negative: it has no values
  std::vector<double> changeSquares;  ///< of each part: what errors are a share of; likewise
  bool isAllNew = false;              ///< nothing but new weights: those are what counts
  std::vector<double> wholeColumns;   ///< of each part: its share of the columns of a real part
};

/// `plan` and `scale` are those of the model's real parts. A part of many rows, such as one of an
/// embedding, is cut: its rows differ more than its bands do in what they cost. Matrices that are
/// about as wide as tall stay whole, because their factors would cost more in bands.
/// Fails as planModel() does.
Result<SamplePlan> planSample(const ModelDescription& model, const VersionReader* parent,
                              const ModelPlan& plan, const ChangeScale& scale);

/// Codes a stratified sample of `parts` as writeVersion() would and infers the rest: payloads by
/// their bytes, errors by the change, which is known of all parts. What does not depend on the
/// settings (the graph, the manifest's tables, `record`) is coded in full.
/// `options` are those of the whole version, with its plan. Fails as codeSample().
Result<SampledEstimate> estimateFromSample(const ModelSource& model, const VersionReader* parent,
                                           CodingOptions options, const SamplePlan& parts,
                                           const SampleSize& size, const VersionRecord& record,
                                           const std::stop_token& stop);

}  // namespace strata
