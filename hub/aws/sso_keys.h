#pragma once

#include "hub/aws/aws_keys.h"
#include "hub/credentials/aws_profile.h"

namespace strata::hub {

/// GetRoleCredentials of a profile with `sso_account_id` and `sso_role_name`, by the token that
/// `aws sso login` left in ~/.aws/sso/cache. A token that is about to end is renewed by the refresh
/// token beside it, where there is one, and the file rewritten as Amazon's tools do. Fails as
/// askAws; with LoginRequired, naming that command, where there is no token or it has ended for
/// good; InvalidArgument (the profile); CorruptData for an answer without keys. Errors hold no
/// secret.
Result<AwsKeys> ssoKeys(const AwsWorld& world, const std::string& profileName,
                        const AwsSection& profile, std::int64_t now);

}  // namespace strata::hub
