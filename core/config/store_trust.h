#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// What a store's files say and what counts only after the user confirmed it: where traffic goes,
/// which server is believed, who may own the files. A store may have come from anybody.
struct StoreStatement {
  std::string what;    ///< "proxy", "remote hub", "owner 1001"
  std::string says;    ///< for people, without passwords: "http://10.0.0.1:3128"
  std::string sha256;  ///< of the exact value; hexadecimal

  /// `value` is the exact value, `says` what people see of it.
  static StoreStatement make(std::string what, std::string_view value, std::string says);
};

/// What the user confirmed of one store: of this folder, and of the store with this id in it.
struct TrustedStore {
  std::filesystem::path folder;  ///< links resolved
  std::string id;
  std::vector<StoreStatement> statements;

  /// Whether this very value was confirmed.
  bool confirms(const StoreStatement& statement) const noexcept;
};

/// The user's own list: `trust.toml` beside the user's settings, mode 0600. Nothing in a store
/// changes it. The functions may be called by several threads and processes at once.

/// Where the list is, whether it exists or not.
std::filesystem::path trustFile();

/// All stores of the list. Fails with InvalidArgument (the list is not as we write it) and Io.
Result<std::vector<TrustedStore>> listTrust();

/// What was confirmed of the store in `storeFolder`; nothing if another store lies there now.
/// Fails as listTrust.
Result<TrustedStore> trustOf(const std::filesystem::path& storeFolder);

/// Confirms statements in place of those about the same things. Writes nothing where that changes
/// nothing. Fails as listTrust and with NoSpace.
Result<void> confirmStatements(const std::filesystem::path& storeFolder,
                               std::span<const StoreStatement> statements);

/// Takes a store off the list, the folder of which may be gone. Answers whether it was there.
/// Fails as confirmStatements.
Result<bool> forgetTrust(const std::filesystem::path& storeFolder);

/// Why a statement does not count, and what confirms it. `file` is what makes it.
Error notConfirmed(const std::filesystem::path& file, const StoreStatement& statement);

}  // namespace strata
