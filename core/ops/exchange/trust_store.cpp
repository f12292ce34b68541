#include "core/ops/exchange/trust_store.h"

#include <algorithm>

#include "core/config/config.h"
#include "core/config/store_owner.h"
#include "core/store/store.h"
#include "core/transfer/remote_config.h"

namespace strata {

bool TrustReview::isComplete() const noexcept {
  return std::all_of(statements.begin(), statements.end(),
                     [](const ReviewedStatement& one) { return one.isConfirmed; });
}

Result<TrustReview> reviewTrust(const std::filesystem::path& storeFolder) {
  if (!Store::isStore(storeFolder)) {
    return fail(ErrorCode::NoStore, storeFolder.string() + ": no store here");
  }
  std::error_code status;
  TrustReview review{std::filesystem::absolute(storeFolder, status).lexically_normal(), {}};
  STRATA_TRY(const TrustedStore trusted, trustOf(review.folder));
  STRATA_TRY(const std::vector<StoreStatement> settings, statementsOfSettings(review.folder));
  STRATA_TRY(const std::vector<StoreStatement> remotes, statementsOfRemotes(review.folder));
  const std::vector<StoreStatement> owners = foreignOwners(review.folder);
  for (const std::vector<StoreStatement>* statements : {&owners, &settings, &remotes}) {
    for (const StoreStatement& statement : *statements) {
      review.statements.push_back({statement, trusted.confirms(statement)});
    }
  }
  return review;
}

Result<void> confirmTrust(const TrustReview& review) {
  std::vector<StoreStatement> statements;
  for (const ReviewedStatement& one : review.statements) statements.push_back(one.statement);
  return confirmStatements(review.folder, statements);
}

}  // namespace strata
