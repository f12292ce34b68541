#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "hub/credentials/credential.h"

namespace strata::hub {

/// The keys of one section of an INI file.
using AwsSection = std::map<std::string, std::string>;

/// None if there is no such file or section. Indented lines nest settings of one service:
/// `s3 = / addressing_style = path` is "s3.addressing_style".
AwsSection readAwsSection(const std::filesystem::path& file, const std::string& section);

/// Empty where the section does not say.
std::string valueOf(const AwsSection& section, const std::string& key);

/// $AWS_CONFIG_FILE, else ~/.aws/config.
std::filesystem::path awsConfigFile(const Environment& environment);
/// $AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials.
std::filesystem::path awsCredentialsFile(const Environment& environment);
/// $AWS_PROFILE, else "default".
std::string awsProfileName(const Environment& environment);

/// What both files say of a profile; of a key in both the credentials file's value counts.
AwsSection readAwsProfile(const Environment& environment, const std::string& profile);

}  // namespace strata::hub
