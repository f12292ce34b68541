#pragma once

#include <optional>

#include "hub/credentials/credential.h"

namespace strata::hub {

/// What the AWS tools' environment and files say beside the keys.
struct AwsSettings {
  std::string region;      ///< "us-east-1" where nothing else is said
  std::string endpoint;    ///< empty: Amazon's
  std::string addressing;  ///< "path", "virtual" or empty: `addressing_style` of the s3 settings
};

/// $AWS_REGION, $AWS_DEFAULT_REGION, $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, else the profile of
/// $AWS_PROFILE (`default`) in $AWS_CONFIG_FILE (~/.aws/config).
AwsSettings awsSettings(const Environment& environment);

/// Keys of $AWS_ACCESS_KEY_ID, $AWS_SECRET_ACCESS_KEY and $AWS_SESSION_TOKEN.
std::optional<Credential> awsEnvironmentKeys(const Environment& environment);

/// Keys of the profile in $AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials), else in the config
/// file. Nothing if there are none.
std::optional<Credential> awsFileKeys(const Environment& environment);

}  // namespace strata::hub
