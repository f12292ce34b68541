#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// What a comparison of two signatures says about storing the variant against the base.
struct BaseRank {
  double matchedShare = 0;  ///< share of the variant's bytes that the base has a like weight for
  double bitDistance = 0;   ///< mean bits of the difference of two matched f32 samples, 0 to 32
  double estimatedShare =
      1;  ///< share of the variant's bytes that would be stored; lower is better
};

/// A base and how well it would serve.
struct RankedBase {
  std::size_t index = 0;  ///< into the list that was ranked
  BaseRank rank;
};

/// A digest of a model that tells how alike two models are: at most 16 KiB for a model of any size.
///
/// Holds shapes, name hashes and a few words of each of the largest tensors, taken at places that
/// a transposed or grown copy shares. Read only by compareSignatures(); kept in the catalog, and
/// made anew from the model if its version changes.
std::string makeSignature(const ModelDescription& model);

/// Compares two signatures. Both may be any bytes. Fails with CorruptData if one is no signature of
/// this version.
Result<BaseRank> compareSignatures(std::string_view variant, std::string_view base);

/// All readable `bases`, the one that costs least to store against first; equal ones in the order
/// given. Signatures that cannot be read are left out. Fails with CorruptData if `variant` cannot.
Result<std::vector<RankedBase>> rankBases(std::string_view variant,
                                          std::span<const std::string_view> bases);

}  // namespace strata
