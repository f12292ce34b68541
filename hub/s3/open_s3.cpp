#include "hub/s3/open_s3.h"

#include <fmt/format.h>

#include "hub/credentials/aws_files.h"
#include "hub/credentials/credentials.h"
#include "hub/remote_http.h"
#include "hub/s3/s3_transport.h"

namespace strata::hub {

namespace {

Result<std::unique_ptr<S3Client>> openClient(const RemoteConfig& remote,
                                             const TransportOptions& options) {
  STRATA_TRY(HttpSettings http, httpSettingsOf(remote, options));
  const Environment environment = processEnvironment();
  const AwsSettings aws = awsSettings(environment);
  const std::string& endpoint = remote.endpoint.empty() ? aws.endpoint : remote.endpoint;
  STRATA_TRY(S3Address address, S3Address::parse(remote.url, endpoint, aws.region, aws.addressing));
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(remote.url, endpoint, remote.name, environment));
  STRATA_TRY(auto own, Credentials().findOutsideTools(query));
  auto keys = std::make_unique<AwsKeySource>(std::move(own), environment, http, aws.region);
  return std::make_unique<S3Client>(std::move(address), aws.region, std::move(keys),
                                    std::move(http));
}

}  // namespace

Result<std::unique_ptr<Transport>> openS3(const RemoteConfig& remote,
                                          const TransportOptions& options) {
  STRATA_TRY(std::unique_ptr<S3Client> client, openClient(remote, options));
  return std::make_unique<S3Transport>(std::move(client), options.stateFolder);
}

Result<std::vector<std::string>> bucketFolders(const RemoteConfig& place,
                                               const TransportOptions& options,
                                               const std::stop_token& stop) {
  STRATA_TRY(const std::unique_ptr<S3Client> client, openClient(place, options));
  std::string url = place.url;
  while (url.ends_with('/')) url.pop_back();
  STRATA_TRY(const auto here, client->size(kS3Marker, stop));
  if (here) return std::vector{url};
  STRATA_TRY(const std::vector<std::string> names, client->folders(stop));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    STRATA_TRY(const auto marker, client->size(name + "/" + kS3Marker, stop));
    if (marker) found.push_back(fmt::format("{}/{}", url, name));
  }
  return found;
}

}  // namespace strata::hub
