#include "hub/aws/aws_key_source.h"

#include <fmt/format.h>

#include <chrono>

#include "hub/aws/instance_keys.h"
#include "hub/aws/role_keys.h"

namespace strata::hub {
namespace {

/// Keys are renewed this long before they end: a request that is under way then still gets through.
constexpr std::int64_t kSecondsBeforeEnd = 300;

std::int64_t systemSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::optional<AwsKeys> staticKeys(const AwsSection& section, const std::string& source) {
  AwsKeys keys{.credential = {.user = valueOf(section, "aws_access_key_id"),
                              .secret = valueOf(section, "aws_secret_access_key"),
                              .sessionToken = valueOf(section, "aws_session_token"),
                              .source = source}};
  if (keys.credential.user.empty() || keys.credential.secret.empty()) return std::nullopt;
  return keys;
}

}  // namespace

AwsKeySource::AwsKeySource(std::optional<Credential> fixed, Environment environment,
                           HttpSettings http, std::string region, Clock clock)
    : fixed_(std::move(fixed)),
      environment_(std::move(environment)),
      http_(std::move(http)),
      region_(std::move(region)),
      clock_(clock ? std::move(clock) : systemSeconds) {
  // What a remote's own server is given or excused for is not for Amazon's services.
  http_.caFile.clear();
  http_.clientCertificate.clear();
  http_.clientKey.clear();
  http_.insecure = false;
  http_.plainHttp = false;
  http_.bytesPerSecond = 0;
}

std::string AwsKeySource::places() const {
  return fmt::format("the environment, the keychain, profile {}, container and instance",
                     awsProfileName(environment_));
}

Result<std::optional<Credential>> AwsKeySource::current(const std::stop_token& stop) {
  if (fixed_) return fixed_;
  const std::lock_guard guard(mutex_);
  const std::int64_t now = clock_();
  if (isAsked_ && !keys_) return std::nullopt;
  if (keys_ && (keys_->endsAt == 0 || now < keys_->endsAt - kSecondsBeforeEnd)) {
    return keys_->credential;
  }
  auto found = find({environment_, http_, region_, stop});
  const bool isOldGood = keys_ && now < keys_->endsAt;
  if (!found && isOldGood && found.error().code != ErrorCode::Cancelled) return keys_->credential;
  if (!found) return fail(found.error().within("keys for the bucket"));
  isAsked_ = true;
  keys_ = *std::move(found);
  if (!keys_) return std::nullopt;
  return keys_->credential;
}

Result<std::optional<AwsKeys>> AwsKeySource::find(const AwsWorld& world) const {
  std::set<std::string> seen;
  const std::string profile = awsProfileName(environment_);
  const std::string tokenFile = environment_("AWS_WEB_IDENTITY_TOKEN_FILE");
  const AwsSection section = readAwsProfile(environment_, profile);
  const bool isByRole =
      !valueOf(section, "source_profile").empty() || !valueOf(section, "credential_source").empty();
  if (!tokenFile.empty() && !isByRole) {
    STRATA_TRY(AwsKeys keys, webIdentityKeys(world, environment_("AWS_ROLE_ARN"),
                                             environment_("AWS_ROLE_SESSION_NAME"), tokenFile));
    return keys;
  }
  STRATA_TRY(std::optional<AwsKeys> keys, ofProfile(world, profile, seen));
  if (keys) return keys;
  STRATA_TRY(keys, containerKeys(world));
  if (keys) return keys;
  return instanceKeys(world);
}

Result<std::optional<AwsKeys>> AwsKeySource::ofProfile(const AwsWorld& world,
                                                       const std::string& name,
                                                       std::set<std::string>& seen) const {
  if (!seen.insert(name).second) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("profile {}: its source_profile leads back to itself", name));
  }
  const AwsSection profile = readAwsProfile(environment_, name);
  const std::string role = valueOf(profile, "role_arn");
  const std::string tokenFile = valueOf(profile, "web_identity_token_file");
  if (!role.empty() && !tokenFile.empty()) {
    STRATA_TRY(AwsKeys keys,
               webIdentityKeys(world, role, valueOf(profile, "role_session_name"), tokenFile));
    return keys;
  }
  if (!role.empty()) {
    STRATA_TRY(AwsKeys keys, byRole(world, name, profile, seen));
    return keys;
  }
  if (!valueOf(profile, "sso_session").empty() || !valueOf(profile, "sso_start_url").empty()) {
    STRATA_TRY(AwsKeys keys, ssoKeys(world, name, profile, clock_()));
    return keys;
  }
  const std::string file = awsCredentialsFile(environment_).string();
  if (auto keys = staticKeys(readAwsSection(file, name), file)) return keys;
  const std::string process = valueOf(profile, "credential_process");
  if (!process.empty()) {
    STRATA_TRY(AwsKeys keys, processKeys(process));
    return keys;
  }
  return staticKeys(profile, awsConfigFile(environment_).string());
}

Result<AwsKeys> AwsKeySource::byRole(const AwsWorld& world, const std::string& name,
                                     const AwsSection& profile, std::set<std::string>& seen) const {
  const auto wrong = [&](const std::string& words) {
    return fail(ErrorCode::InvalidArgument, fmt::format("profile {}: {}", name, words));
  };
  if (!valueOf(profile, "mfa_serial").empty()) {
    return wrong(
        "its role asks for a code of a device; aws configure export-credentials gives "
        "keys for a while");
  }
  const std::string source = valueOf(profile, "source_profile");
  const std::string place = valueOf(profile, "credential_source");
  std::optional<AwsKeys> with;
  if (source == name) {
    with = staticKeys(profile, name);  // its own keys may take the role
  } else if (!source.empty()) {
    STRATA_TRY(with, ofProfile(world, source, seen));
  } else if (place == "Environment") {
    with = staticKeys({{"aws_access_key_id", environment_("AWS_ACCESS_KEY_ID")},
                       {"aws_secret_access_key", environment_("AWS_SECRET_ACCESS_KEY")},
                       {"aws_session_token", environment_("AWS_SESSION_TOKEN")}},
                      "$AWS_ACCESS_KEY_ID");
  } else if (place == "EcsContainer") {
    STRATA_TRY(with, containerKeys(world));
  } else if (place == "Ec2InstanceMetadata") {
    STRATA_TRY(with, instanceKeys(world));
  } else {
    return wrong("role_arn needs source_profile or credential_source");
  }
  if (!with) return wrong("no keys to take its role with in " + (source.empty() ? place : source));
  return assumeRole(world, profile, with->credential);
}

}  // namespace strata::hub
