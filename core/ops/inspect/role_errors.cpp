#include "core/ops/inspect/role_errors.h"

#include <algorithm>
#include <cmath>

#include "core/store/catalog/tensor_state.h"

namespace strata {
namespace {

/// A version that was recoded has other codecs, and its errors still.
bool isQuantized(const ManifestTensor& tensor) {
  return tensor.relativeError > 0 ||
         std::ranges::any_of(
             tensor.parts, [](const ManifestPart& part) { return part.codec == CodecId::Moments; });
}

RoleError errorOf(const Manifest& manifest, TensorKind kind) {
  RoleError error{.kind = kind};
  double squares = 0;
  double words = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (tensor.kind != kind) continue;
    ++(isQuantized(tensor) ? error.quantized : error.exact);
    const auto count = static_cast<double>(byteCount(tensor));
    squares += count * tensor.relativeError * tensor.relativeError;
    words += count;
  }
  error.relativeError = words > 0 ? std::sqrt(squares / words) : 0;
  return error;
}

}  // namespace

std::vector<RoleError> roleErrors(const Manifest& manifest) {
  std::vector<RoleError> errors;
  if (!manifest.lossy) return errors;
  for (const TensorKind kind : {TensorKind::FirstMoment, TensorKind::SecondMoment}) {
    const RoleError error = errorOf(manifest, kind);
    if (error.quantized != 0) errors.push_back(error);
  }
  return errors;
}

}  // namespace strata
