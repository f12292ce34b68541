#pragma once

#include <filesystem>
#include <optional>

#include "hub/credentials/credential.h"

namespace strata::hub {

/// Our own file of credentials, the last resort where there is no keychain:
/// `credentials.json` beside the user's settings, mode 0600.
class CredentialFile {
 public:
  explicit CredentialFile(std::filesystem::path file) : file_(std::move(file)) {}
  const std::filesystem::path& path() const noexcept { return file_; }

  /// Nothing if the file or the entry is missing. Fails as readSecretFile (others can read it), and
  /// with InvalidArgument if it is not as we write it.
  Result<std::optional<Credential>> find(const CredentialQuery& query) const;
  /// Fails as find and writeSecretFile.
  Result<void> save(const CredentialQuery& query, const Credential& credential) const;
  /// Whether there was one. Fails as save.
  Result<bool> remove(const CredentialQuery& query) const;

 private:
  std::filesystem::path file_;
};

}  // namespace strata::hub
