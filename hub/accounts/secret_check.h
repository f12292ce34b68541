#pragma once

#include <stop_token>
#include <string>

#include "hub/accounts/account_access.h"

namespace strata::hub {

/// What a server says of a credential.
struct SecretCheck {
  std::string account;    ///< whose it is: as the server says, else the credential's user
  std::string unchecked;  ///< why nobody could say whether it holds; empty: the server took it
};

/// Shows a credential to its server: Hugging Face is asked whose it is, a registry whether it lets
/// us in, an object store for one key of the bucket. Fails with LoginRequired (refused) and, for
/// Hugging Face, Network.
Result<SecretCheck> checkSecret(const CredentialServer& server, const Credential& credential,
                                const std::stop_token& stop);

}  // namespace strata::hub
