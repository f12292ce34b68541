#include "hub/oci/open_oci.h"

#include "core/config/byte_count.h"
#include "hub/credentials/credentials.h"
#include "hub/oci/oci_transport.h"
#include "hub/remote_http.h"

namespace strata::hub {

Result<std::unique_ptr<Transport>> openOci(const RemoteConfig& remote,
                                           const TransportOptions& options) {
  STRATA_TRY(OciAddress address, OciAddress::parse(remote.url, remote.plainHttp));
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(remote.url, remote.endpoint, remote.name, processEnvironment()));
  STRATA_TRY(auto credential, Credentials().find(query));
  OciOptions wishes;
  if (!remote.chunk.empty()) {
    STRATA_TRY(wishes.chunkBytes, parseByteCount(remote.chunk));
  }
  for (const std::string& url : options.siblings) {
    const auto sibling = OciAddress::parse(url, remote.plainHttp);
    if (sibling && sibling->origin == address.origin && sibling->repository != address.repository) {
      wishes.siblings.push_back(sibling->repository);
    }
  }
  return std::make_unique<OciTransport>(
      std::make_unique<OciClient>(std::move(address), std::move(credential),
                                  httpSettingsOf(remote, options)),
      std::move(wishes));
}

}  // namespace strata::hub
