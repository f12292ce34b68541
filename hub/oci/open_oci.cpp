#include "hub/oci/open_oci.h"

#include <fmt/format.h>

#include "core/config/byte_count.h"
#include "hub/credentials/credentials.h"
#include "hub/oci/oci_transport.h"
#include "hub/remote_http.h"

namespace strata::hub {

Result<std::unique_ptr<Transport>> openOci(const RemoteConfig& remote,
                                           const TransportOptions& options) {
  STRATA_TRY(HttpSettings http, httpSettingsOf(remote, options));
  STRATA_TRY(OciAddress address, OciAddress::parse(remote.url, remote.plainHttp));
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(remote.url, remote.endpoint, remote.name, processEnvironment()));
  STRATA_TRY(auto credential, Credentials().find(query));
  OciOptions wishes;
  wishes.chunks.stateFolder = options.stateFolder;
  if (!remote.chunk.empty()) {
    STRATA_TRY(wishes.chunks.chunkBytes, parseByteCount(remote.chunk));
  }
  for (const std::string& url : options.siblings) {
    const auto sibling = OciAddress::parse(url, remote.plainHttp);
    if (sibling && sibling->origin == address.origin && sibling->repository != address.repository) {
      wishes.siblings.push_back(sibling->repository);
    }
  }
  return std::make_unique<OciTransport>(
      std::make_unique<OciClient>(std::move(address), std::move(credential), std::move(http)),
      std::move(wishes));
}

Result<std::vector<std::string>> registryRepositories(const RemoteConfig& place,
                                                      const TransportOptions& options,
                                                      const std::stop_token& stop) {
  STRATA_TRY(HttpSettings http, httpSettingsOf(place, options));
  STRATA_TRY(OciAddress address, OciAddress::parseRegistry(place.url, place.plainHttp));
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(place.url, place.endpoint, place.name, processEnvironment()));
  STRATA_TRY(auto credential, Credentials().find(query));
  OciClient client(std::move(address), std::move(credential), std::move(http));
  STRATA_TRY(std::vector<std::string> names, client.repositories(stop));
  for (std::string& name : names) name = fmt::format("oci://{}/{}", hostOfUrl(place.url), name);
  return names;
}

}  // namespace strata::hub
