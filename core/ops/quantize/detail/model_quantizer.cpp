#include "core/ops/quantize/detail/model_quantizer.h"

#include "core/match/signature.h"
#include "core/ops/detail/parent_choice.h"
#include "core/store/objects/version_chain.h"

namespace strata {

Result<ModelQuantizer> openQuantizer(const Store& store, const ModelSource& model,
                                     const TuneOptions& options) {
  if (options.parent.baseChoice == BaseChoice::None) {
    return fail(ErrorCode::InvalidArgument,
                "the model is to have no base, and only a difference to a base can be quantized");
  }
  const std::string signature = makeSignature(model.description());
  STRATA_TRY(const ParentChoice choice,
             chooseParent(store.catalog(), options.parent, signature, std::nullopt));
  if (!choice.parent) {
    return fail(ErrorCode::InvalidArgument,
                "nothing in the store is a base of this model, and only a difference to a base "
                "can be quantized");
  }
  ModelQuantizer opened{choice.parent->label(), nullptr};
  auto parent = openVersion(store, choice.parent->contentDigest);
  if (!parent) return fail(parent.error().within(opened.parentLabel));
  STRATA_TRY(opened.quantizer, Quantizer::open(model, *std::move(parent), options.gradients,
                                               options.parent.memoryBytes, options.parent.device,
                                               options.parent.effort,
                                               options.parent.baseChoice == BaseChoice::Reference));
  return opened;
}

}  // namespace strata
