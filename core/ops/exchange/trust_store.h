#pragma once

#include <filesystem>
#include <vector>

#include "core/config/store_trust.h"
#include "core/result.h"

namespace strata {

/// Something that a store says, and whether the user confirmed that very value.
struct ReviewedStatement {
  StoreStatement statement;
  bool isConfirmed = false;
};

/// All that a store's files say and that counts only with its user's word.
struct TrustReview {
  std::filesystem::path folder;  ///< absolute
  std::vector<ReviewedStatement> statements;

  bool isComplete() const noexcept;  ///< nothing is left to confirm
};

/// Reads a store's settings without using them, whoever owns them.
/// Fails with NoStore, InvalidArgument (settings that cannot be read), Io.
Result<TrustReview> reviewTrust(const std::filesystem::path& storeFolder);

/// Confirms what was reviewed, and nothing that changed since. Fails as confirmStatements.
Result<void> confirmTrust(const TrustReview& review);

}  // namespace strata
