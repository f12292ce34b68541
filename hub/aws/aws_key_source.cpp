#include "hub/aws/aws_key_source.h"

#include <fmt/format.h>

#include <chrono>

#include "core/io/core_dumps.h"
#include "hub/aws/instance_keys.h"
#include "hub/aws/role_keys.h"
#include "hub/aws/sso_keys.h"

namespace strata::hub {
namespace {

/// Keys are renewed this long before they end: a request that is under way then still gets through.
constexpr std::int64_t kSecondsBeforeEnd = 300;

using Kind = AwsSource::Kind;

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

/// Keys that are there, where there might be none.
Result<std::optional<AwsKeys>> given(Result<AwsKeys> keys) {
  if (!keys) return fail(std::move(keys).error());
  return *std::move(keys);
}

std::string ofProfileWords(std::string_view what, const std::string& profile) {
  return fmt::format("{} of profile {}", what, profile);
}

/// What a profile's own lines set up.
std::vector<AwsSource> sourcesOfProfile(const Environment& environment, const std::string& name) {
  const AwsSection profile = readAwsProfile(environment, name);
  const auto says = [&](const char* key) { return !valueOf(profile, key).empty(); };
  const std::string role = "the role " + valueOf(profile, "role_arn");
  if (says("role_arn") && says("web_identity_token_file")) {
    return {{Kind::WebIdentity, ofProfileWords(role + " by web identity", name), name}};
  }
  if (says("role_arn")) return {{Kind::Role, ofProfileWords(role, name), name}};
  if (says("sso_session") || says("sso_start_url")) {
    return {{Kind::SignOn, ofProfileWords("single sign-on", name), name}};
  }
  std::vector<AwsSource> sources;
  const std::string file = awsCredentialsFile(environment).string();
  if (staticKeys(readAwsSection(file, name), file)) {
    sources.push_back({Kind::CredentialsFile, file, name});
  }
  if (says("credential_process")) {
    sources.push_back({Kind::Process, ofProfileWords("credential_process", name), name});
  }
  if (sources.empty() && staticKeys(profile, file)) {
    sources.push_back({Kind::ConfigFile, awsConfigFile(environment).string(), name});
  }
  return sources;
}

}  // namespace

std::vector<AwsSource> awsSources(const Environment& environment) {
  const std::string name = awsProfileName(environment);
  const AwsSection profile = readAwsProfile(environment, name);
  const bool isByRole =
      !valueOf(profile, "source_profile").empty() || !valueOf(profile, "credential_source").empty();
  std::vector<AwsSource> sources;
  if (!environment("AWS_WEB_IDENTITY_TOKEN_FILE").empty() && !isByRole) {
    sources.push_back({Kind::WebIdentity,
                       fmt::format("the role {} by web identity", environment("AWS_ROLE_ARN"))});
  }
  for (AwsSource& source : sourcesOfProfile(environment, name)) {
    sources.push_back(std::move(source));
  }
  if (!environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
      !environment("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty()) {
    sources.push_back({Kind::Container, "the container's credentials"});
  }
  sources.push_back({Kind::Instance, "the instance's metadata"});
  return sources;
}

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
  std::set<std::string> seen;
  forbidCoreDumps();
  auto found = findIn(awsSources(environment_), {environment_, http_, region_, stop}, seen);
  const bool isOldGood = keys_ && now < keys_->endsAt;
  if (!found && isOldGood && found.error().code != ErrorCode::Cancelled) return keys_->credential;
  if (!found) return fail(found.error().within("keys for the bucket"));
  isAsked_ = true;
  keys_ = *std::move(found);
  if (!keys_) return std::nullopt;
  return keys_->credential;
}

AwsKeySource::Keys AwsKeySource::findIn(const std::vector<AwsSource>& sources,
                                        const AwsWorld& world, std::set<std::string>& seen) const {
  for (const AwsSource& source : sources) {
    STRATA_TRY(std::optional<AwsKeys> keys, ask(source, world, seen));
    if (keys) return keys;
  }
  return std::nullopt;
}

AwsKeySource::Keys AwsKeySource::ofProfile(const AwsWorld& world, const std::string& profile,
                                           std::set<std::string>& seen) const {
  if (seen.contains(profile)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("profile {}: its source_profile leads back to itself", profile));
  }
  return findIn(sourcesOfProfile(environment_, profile), world, seen);
}

AwsKeySource::Keys AwsKeySource::ask(const AwsSource& source, const AwsWorld& world,
                                     std::set<std::string>& seen) const {
  const AwsSection profile = readAwsProfile(environment_, source.profile);
  switch (source.kind) {
    case Kind::WebIdentity:
      return source.profile.empty()
                 ? given(webIdentityKeys(world, environment_("AWS_ROLE_ARN"),
                                         environment_("AWS_ROLE_SESSION_NAME"),
                                         environment_("AWS_WEB_IDENTITY_TOKEN_FILE")))
                 : given(webIdentityKeys(world, valueOf(profile, "role_arn"),
                                         valueOf(profile, "role_session_name"),
                                         valueOf(profile, "web_identity_token_file")));
    case Kind::Role:
      return given(byRole(world, source.profile, seen));
    case Kind::SignOn:
      return given(ssoKeys(world, source.profile, profile, clock_()));
    case Kind::CredentialsFile:
      return staticKeys(readAwsSection(awsCredentialsFile(environment_), source.profile),
                        source.words);
    case Kind::Process:
      return given(processKeys(valueOf(profile, "credential_process")));
    case Kind::ConfigFile:
      return staticKeys(profile, source.words);
    case Kind::Container:
      return containerKeys(world);
    case Kind::Instance:
      break;
  }
  return instanceKeys(world);
}

Result<AwsKeys> AwsKeySource::byRole(const AwsWorld& world, const std::string& name,
                                     std::set<std::string>& seen) const {
  const AwsSection profile = readAwsProfile(environment_, name);
  seen.insert(name);
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
