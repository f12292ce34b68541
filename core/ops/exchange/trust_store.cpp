#include "core/ops/exchange/trust_store.h"

#include <algorithm>

#include "core/config/config.h"
#include "core/config/store_owner.h"
#include "core/store/store.h"
#include "core/transfer/remote_config.h"

namespace strata {

bool TrustReview::isComplete() const noexcept {
  return std::all_of(claims.begin(), claims.end(),
                     [](const ReviewedClaim& one) { return one.isConfirmed; });
}

Result<TrustReview> reviewTrust(const std::filesystem::path& storeFolder) {
  if (!Store::isStore(storeFolder)) {
    return fail(ErrorCode::NoStore, storeFolder.string() + ": no store here");
  }
  std::error_code status;
  TrustReview review{std::filesystem::absolute(storeFolder, status).lexically_normal(), {}};
  STRATA_TRY(const TrustedStore trusted, trustOf(review.folder));
  STRATA_TRY(const std::vector<StoreClaim> settings, claimsOfSettings(review.folder));
  STRATA_TRY(const std::vector<StoreClaim> remotes, claimsOfRemotes(review.folder));
  const std::vector<StoreClaim> owners = foreignOwners(review.folder);
  for (const std::vector<StoreClaim>* claims : {&owners, &settings, &remotes}) {
    for (const StoreClaim& claim : *claims) {
      review.claims.push_back({claim, trusted.confirms(claim)});
    }
  }
  return review;
}

Result<void> confirmTrust(const TrustReview& review) {
  std::vector<StoreClaim> claims;
  for (const ReviewedClaim& one : review.claims) claims.push_back(one.claim);
  return confirmClaims(review.folder, claims);
}

}  // namespace strata
