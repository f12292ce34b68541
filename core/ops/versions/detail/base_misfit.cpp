#include "core/ops/versions/detail/base_misfit.h"

#include <algorithm>

#include "core/archive/word_values.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/store/catalog/tensor_state.h"

namespace strata {
namespace {

/// Where words alone took fewer bytes, or nothing but the name is the parent's: weights that have
/// nothing in common differ by 1.4.
constexpr float kUnlike = 0.9F;

bool isLikeTheParents(const ManifestTensor& tensor) {
  const bool isCodedSo = std::ranges::any_of(
      tensor.parts, [](const ManifestPart& part) { return part.view && !part.view->own; });
  if (isCodedSo) return true;
  if (tensorState(tensor) == TensorState::New) return false;
  const bool isFar = tensor.relativeChange > kUnlike || !hasDistance(tensor.type);
  return tensor.changed <= kUnlike || !isFar;
}

/// Share of the bytes of weights that are coded against the parent, or are the parent's.
double sharedShare(const Manifest& manifest) {
  double all = 0;
  double shared = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    const auto bytes = static_cast<double>(byteCount(tensor));
    all += bytes;
    if (isLikeTheParents(tensor)) shared += bytes;
  }
  return all > 0 ? shared / all : 1;
}

}  // namespace

bool sharesWeights(const Manifest& manifest) { return sharedShare(manifest) >= kLeastUsefulShare; }

Result<std::optional<BaseMisfit>> misfitOf(const Store& store, const ModelSource& model,
                                           const Manifest& manifest, const VersionEntry& base) {
  if (sharesWeights(manifest)) return std::nullopt;
  BaseMisfit misfit{base.label(), {}};
  STRATA_TRY(const auto ranked, rankStoredBases(store, model));
  for (const BaseCandidate& one : ranked) {
    if (!one.serves) break;
    if (one.version.contentDigest == base.contentDigest) continue;
    misfit.better = one.version.label();
    break;
  }
  return misfit;
}

}  // namespace strata
