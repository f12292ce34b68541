#pragma once

#include <stop_token>
#include <string>

#include "core/result.h"
#include "hub/http/http_client.h"

namespace strata::hub {

/// Whose a Hugging Face token is and what it may do.
struct Account {
  std::string name;
  std::string role;  ///< "read", "write", "fineGrained"; may be empty
};

/// Asks `endpoint`/api/whoami-v2. Servers limit that call strictly: ask once.
/// Fails with LoginRequired (the token is refused), Network, CorruptData, Cancelled.
Result<Account> whoAmI(HttpClient& client, const std::string& endpoint, const std::string& token,
                       const std::stop_token& stop);

}  // namespace strata::hub
