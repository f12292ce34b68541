#include "hub/accounts/whoami.h"

#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/http_failure.h"

namespace strata::hub {

Result<Account> whoAmI(HttpClient& client, const std::string& endpoint, const std::string& token,
                       const std::stop_token& stop) {
  HttpRequest request;
  request.url = endpoint + "/api/whoami-v2";
  request.authorization = "Bearer " + token;
  request.redirects = Redirects::SameOrigin;
  STRATA_TRY(const HttpResponse response, client.send(request, stop));
  if (!response.succeeded()) return fail(failureOf(client, response, "checking the token"));
  STRATA_TRY(const nlohmann::json answer, parseJson(response.body, "the answer to whoami"));
  Account account;
  account.name = textMember(answer, "name").value_or("");
  const nlohmann::json& access = anyMember(anyMember(answer, "auth"), "accessToken");
  account.role = textMember(access, "role").value_or("");
  if (account.name.empty()) {
    return fail(ErrorCode::CorruptData, "the answer to whoami has no name: is this a hub?");
  }
  return account;
}

}  // namespace strata::hub
