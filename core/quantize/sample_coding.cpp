#include "core/quantize/sample_coding.h"

#include <optional>
#include <utility>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/version_coding.h"
#include "core/float_environment.h"

namespace strata {
namespace {

Result<CodedSample> coded(const ModelSource& model, VersionCoding& coding) {
  const DefaultFloatEnvironment environment;
  CodedSample sample;
  STRATA_TRY(coding.open());
  STRATA_TRY(coding.run([&](const PartPlan& part, EncodedPart& encoded) -> Result<void> {
    coding.description().addError(part.tensor, encoded.error);
    sample.partErrors.push_back(encoded.error);
    return {};
  }));
  coding.description().finish(nullptr);
  coding.forgetPlan();
  STRATA_TRY(model.checkUnchanged());
  STRATA_TRY(sample.packBytes, coding.commitPack());
  sample.manifest = std::move(coding.description().manifest());
  return sample;
}

}  // namespace

Result<CodedSample> codeSample(const ModelSource& model, const VersionReader* parent,
                               const CodingOptions& options, const std::stop_token& stop) {
  STRATA_TRY(const std::optional<CodecId> wish, exactCodecFromName(options.codec));
  DiscardedObjects nowhere;
  const RecordOptions record{.hashOriginal = false};
  const ProgressSink silent;
  const ModelDescription& whole = model.description();
  VersionCoding coding(whole, whole, parent, options, record, wish, nowhere, stop, silent);
  return unlessChanged(model, coded(model, coding));
}

}  // namespace strata
