#pragma once

#include <optional>

#include "hub/aws/aws_keys.h"

namespace strata::hub {

/// Keys that the machine or container gives its programs. Nothing where it gives none.

/// $AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, or _FULL_URI, which over plain http must name this
/// machine or the agents' own addresses: InvalidArgument else. Sends
/// $AWS_CONTAINER_AUTHORIZATION_TOKEN or the text of its _FILE.
Result<std::optional<AwsKeys>> containerKeys(const AwsWorld& world);

/// The instance metadata service, version 2, asked once and for a second only; not at all where
/// $AWS_EC2_METADATA_DISABLED is true.
Result<std::optional<AwsKeys>> instanceKeys(const AwsWorld& world);

}  // namespace strata::hub
