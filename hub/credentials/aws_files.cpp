#include "hub/credentials/aws_files.h"

#include <filesystem>

#include "hub/credentials/aws_profile.h"

namespace strata::hub {
namespace {

std::optional<Credential> keysOf(const AwsSection& section, const std::filesystem::path& file) {
  Credential keys{.user = valueOf(section, "aws_access_key_id"),
                  .secret = valueOf(section, "aws_secret_access_key"),
                  .sessionToken = valueOf(section, "aws_session_token"),
                  .source = file.string()};
  if (keys.user.empty() || keys.secret.empty()) return std::nullopt;
  return keys;
}

AwsSection configSection(const Environment& environment) {
  const std::string profile = awsProfileName(environment);
  return readAwsSection(awsConfigFile(environment),
                        profile == "default" ? profile : "profile " + profile);
}

}  // namespace

AwsSettings awsSettings(const Environment& environment) {
  const AwsSection section = configSection(environment);
  const auto first = [&](std::initializer_list<const char*> variables, const char* key) {
    for (const char* const variable : variables) {
      if (std::string value = environment(variable); !value.empty()) return value;
    }
    return valueOf(section, key);
  };
  AwsSettings settings{
      .region = first({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region"),
      .endpoint = first({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "endpoint_url"),
      .addressing = first({}, "s3.addressing_style")};
  if (settings.region.empty()) settings.region = "us-east-1";
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  return settings;
}

std::optional<Credential> awsEnvironmentKeys(const Environment& environment) {
  Credential keys{.user = environment("AWS_ACCESS_KEY_ID"),
                  .secret = environment("AWS_SECRET_ACCESS_KEY"),
                  .sessionToken = environment("AWS_SESSION_TOKEN"),
                  .source = "$AWS_ACCESS_KEY_ID"};
  if (keys.user.empty() || keys.secret.empty()) return std::nullopt;
  return keys;
}

std::optional<Credential> awsFileKeys(const Environment& environment) {
  const std::filesystem::path file = awsCredentialsFile(environment);
  if (auto keys = keysOf(readAwsSection(file, awsProfileName(environment)), file)) return keys;
  return keysOf(configSection(environment), awsConfigFile(environment));
}

}  // namespace strata::hub
