#include "hub/s3/s3_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "hub/credentials/credential.h"
#include "hub/http/xml_text.h"

namespace strata::hub {
namespace {

/// A refusal whose status does not say what helps.
struct RefusalWords {
  std::string_view name;
  ErrorCode code;
  std::string_view advice;
  bool isAboutTime = false;
};

const RefusalWords* refusalOf(std::string_view name) noexcept {
  constexpr std::string_view kExpired = "the keys are good no longer: get new ones";
  constexpr std::string_view kFull = "there is no space left for this account or bucket";
  static constexpr std::array kRefusals = {
      RefusalWords{"ExpiredToken", ErrorCode::LoginRequired, kExpired},
      RefusalWords{"ExpiredTokenException", ErrorCode::LoginRequired, kExpired},
      RefusalWords{"TokenRefreshRequired", ErrorCode::LoginRequired, kExpired},
      RefusalWords{"RequestTimeTooSkewed", ErrorCode::Network,
                   "the clock of this machine is wrong: set it", true},
      RefusalWords{"QuotaExceeded", ErrorCode::Network, kFull},
      RefusalWords{"XMinioAdminBucketQuotaExceeded", ErrorCode::Network, kFull},
      RefusalWords{"XMinioStorageFull", ErrorCode::Network, kFull},
  };
  const auto found = std::find_if(kRefusals.begin(), kRefusals.end(),
                                  [&](const RefusalWords& one) { return one.name == name; });
  return found == kRefusals.end() ? nullptr : &*found;
}

}  // namespace

void adviseOnRefusal(const HttpResponse& response, const std::string& placesWithoutKeys,
                     Error& error) {
  const int status = response.head.status;
  const std::string_view region = response.head.headers.value("x-amz-bucket-region");
  const bool isElsewhere = status == 301 || status == 307 || status == 400;
  const RefusalWords* const refusal = refusalOf(xmlText(response.body, "Code"));
  if (refusal != nullptr && !response.succeeded()) {
    error.code = refusal->code;
    error.message += "; ";
    error.message += refusal->advice;
    const std::string_view date = response.head.headers.value("Date");
    if (refusal->isAboutTime && !date.empty()) {
      error.message += fmt::format(" (the server's says {})", date.substr(0, 40));
    }
  } else if (isElsewhere && !region.empty()) {
    error.message += fmt::format("; the bucket is in {}: set AWS_REGION", region.substr(0, 40));
  } else if (const std::string host = hostOfUrl(response.head.headers.value("Location"));
             isElsewhere && !host.empty()) {
    error.message += fmt::format(
        "; the server leads to {}: set AWS_REGION or --endpoint to where "
        "the bucket is",
        host.substr(0, 200));
  } else if (status == 403 && !placesWithoutKeys.empty()) {
    error.message +=
        fmt::format("; there are no keys in {}: set AWS_ACCESS_KEY_ID or run strata auth login",
                    placesWithoutKeys);
  }
}

}  // namespace strata::hub
