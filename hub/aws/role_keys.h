#pragma once

#include <optional>

#include "hub/aws/aws_keys.h"
#include "hub/credentials/aws_profile.h"

namespace strata::hub {

/// Keys of other services of Amazon, in exchange for other keys or a token. All fail as askAws, and
/// with CorruptData for an answer without keys.

/// STS AssumeRole with the keys of somebody who may: `role_arn`, `external_id`,
/// `role_session_name`, `duration_seconds` of a profile.
Result<AwsKeys> assumeRole(const AwsWorld& world, const AwsSection& profile,
                           const Credential& with);

/// STS AssumeRoleWithWebIdentity with the token in a file. Fails with NotFound without the file.
Result<AwsKeys> webIdentityKeys(const AwsWorld& world, const std::string& role,
                                const std::string& session, const std::string& tokenFile);

/// What the program of `credential_process` prints.
Result<AwsKeys> processKeys(const std::string& command);

}  // namespace strata::hub
