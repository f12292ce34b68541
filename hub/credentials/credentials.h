#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "hub/credentials/credential.h"
#include "hub/credentials/credential_file.h"

namespace strata::hub {

/// Finds the credential of a remote where users and other tools keep them, in this order:
/// environment (STRATA_TOKEN_<REMOTE>, HF_TOKEN, AWS_…), keychain, our own 0600 file, the files of
/// the other tools (Hugging Face, docker, podman, AWS). Nothing found means: ask as nobody.
/// The variables and files of the Hugging Face tools are for the endpoint that those tools would
/// talk to, never for another host. Safe to use from several threads.
class Credentials {
 public:
  /// `file`: our own; the default one lies beside the user's settings.
  explicit Credentials(Environment environment = processEnvironment(),
                       std::filesystem::path file = defaultFile());

  static std::filesystem::path defaultFile();

  /// Fails with InvalidArgument: a file of secrets that others can read, a broken variable.
  Result<std::optional<Credential>> find(const CredentialQuery& query) const;
  /// As find, but for the files of the other tools.
  Result<std::optional<Credential>> findOutsideTools(const CredentialQuery& query) const;

  /// All that could serve, the one that find() takes first; for people.
  Result<std::vector<Credential>> all(const CredentialQuery& query) const;
  Result<std::vector<Credential>> allOutsideTools(const CredentialQuery& query) const;

  /// Keeps a credential in the keychain, else in our file. Returns where, for people.
  /// Fails with NoSpace, Io, InvalidArgument.
  Result<std::string> save(const CredentialQuery& query, const Credential& credential) const;

  /// Removes what save() kept. Whether there was any. Fails as save.
  Result<bool> remove(const CredentialQuery& query) const;

 private:
  enum class Scope { First, FirstOutsideTools, All, AllOutsideTools };
  Result<std::vector<Credential>> collect(const CredentialQuery& query, Scope scope) const;
  std::optional<Credential> fromEnvironment(const CredentialQuery& query) const;
  std::optional<Credential> fromKeychain(const CredentialQuery& query) const;
  Result<std::optional<Credential>> fromOtherTools(const CredentialQuery& query) const;

  Environment environment_;
  CredentialFile file_;
};

/// Forbids core dumps where the environment holds secrets, which it does from the start. For mains.
void guardEnvironmentSecrets();

/// "STRATA_TOKEN_MY_HUB" of "my-hub".
std::string tokenVariable(std::string_view remote);

}  // namespace strata::hub
