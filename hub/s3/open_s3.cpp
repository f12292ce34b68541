#include "hub/s3/open_s3.h"

#include "hub/credentials/aws_files.h"
#include "hub/credentials/credentials.h"
#include "hub/remote_http.h"
#include "hub/s3/s3_transport.h"

namespace strata::hub {

Result<std::unique_ptr<Transport>> openS3(const RemoteConfig& remote,
                                          const TransportOptions& options) {
  const Environment environment = processEnvironment();
  const AwsSettings aws = awsSettings(environment);
  const std::string& endpoint = remote.endpoint.empty() ? aws.endpoint : remote.endpoint;
  STRATA_TRY(S3Address address, S3Address::parse(remote.url, endpoint, aws.region, aws.addressing));
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(remote.url, endpoint, remote.name, environment));
  STRATA_TRY(auto credential, Credentials().find(query));
  return std::make_unique<S3Transport>(std::make_unique<S3Client>(
      std::move(address), aws.region, std::move(credential), httpSettingsOf(remote, options)));
}

}  // namespace strata::hub
