#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// What a comparison of two signatures says about storing the variant against the base.
struct BaseRank {
  double matchedShare = 0;  ///< share of the variant's bytes that the base has a like weight for
  double estimatedShare =
      1;  ///< share of the variant's bytes that would be stored; lower is better
};

/// A digest of a model that tells how alike two models are: at most 16 KiB for a model of any size.
///
/// Holds shapes, name hashes and a few words of each of the largest tensors, taken at places that
/// a transposed or grown copy shares; and of the halves and thirds of the very largest, which may
/// have been merged from several or may be cut into them (queries, keys and values). Read only by
/// compareSignatures(); kept in the catalog, and made anew from the model if its version changes.
std::string makeSignature(const ModelDescription& model);

/// Compares two signatures. Both may be any bytes. Fails with CorruptData if one is no signature of
/// this version.
Result<BaseRank> compareSignatures(std::string_view variant, std::string_view base);

/// Compares one model with many stored ones. Safe to use from several threads.
class SignatureRanker {
 public:
  /// Fails with CorruptData if `variant` is no signature of this version.
  static Result<SignatureRanker> make(std::string_view variant);
  ~SignatureRanker();
  SignatureRanker(SignatureRanker&&) noexcept;

  /// What storing the model against `base` would cost. Looks for each weight among all of the
  /// base's weights of its shape: milliseconds where many are alike. Nothing if `base` is no
  /// signature.
  std::optional<BaseRank> rank(std::string_view base) const;

  /// The same from equal contents and names alone: some microseconds, so that it can be asked of
  /// every stored version. Renamed weights count as new.
  std::optional<BaseRank> screen(std::string_view base) const;

 private:
  struct Variant;
  explicit SignatureRanker(std::unique_ptr<const Variant> variant);
  std::unique_ptr<const Variant> variant_;
};

}  // namespace strata
