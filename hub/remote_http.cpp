#include "hub/remote_http.h"

namespace strata::hub {

Result<HttpSettings> httpSettingsOf(const RemoteConfig& remote, const TransportOptions& options) {
  STRATA_TRY(checkConfirmed(remote));
  if (!options.unconfirmed.empty()) return fail(ErrorCode::InvalidArgument, options.unconfirmed);
  HttpSettings http;
  if (!options.version.empty()) http.userAgent = "strata/" + options.version;
  http.proxy = options.proxy;
  http.caFile = remote.caFile;
  http.clientCertificate = remote.clientCertificate;
  http.clientKey = remote.clientKey;
  http.realms = options.realms;
  http.insecure = remote.insecure;
  http.plainHttp = remote.plainHttp;
  http.offline = options.offline;
  http.bytesPerSecond = options.bytesPerSecond;
  http.leastBytesPerSecond = options.leastBytesPerSecond;
  http.parallel = options.parallel;
  http.onWait = options.onWait;
  return http;
}

}  // namespace strata::hub
