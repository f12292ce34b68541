#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hub/aws/aws_keys.h"
#include "hub/credentials/aws_profile.h"

namespace strata::hub {

/// One way to keys that variables or Amazon's files set up.
struct AwsSource {
  enum class Kind {
    WebIdentity,
    Role,
    SignOn,
    CredentialsFile,
    Process,
    ConfigFile,
    Container,
    Instance
  };
  Kind kind = Kind::Instance;
  std::string words;         ///< for people: "single sign-on of profile lab", a file's path
  std::string profile = {};  ///< where a profile says so
};

/// The ways in the order of Amazon's tools: web identity of the environment; the profile's role
/// (`role_arn` with `source_profile` or `credential_source`), web identity, single sign-on, keys of
/// the credentials file, `credential_process`, keys of the config file; the container's; the
/// instance's, of which only asking tells whether there are any. Reads variables and files, asks
/// nobody.
std::vector<AwsSource> awsSources(const Environment& environment);

/// The keys that requests of an object store are signed with: found where Amazon's tools find them
/// and renewed before they end, however long a transfer takes. What is set up and fails is an
/// error, not a reason to go on. Safe to use from several threads.
class AwsKeySource {
 public:
  using Clock = std::function<std::int64_t()>;  ///< seconds since 1970, UTC

  /// `fixed`: keys that do not end, which nothing else is asked instead of.
  AwsKeySource(std::optional<Credential> fixed, Environment environment, HttpSettings http,
               std::string region, Clock clock = {});

  /// Keys that hold for some minutes; nothing if there are none anywhere. Asks anew when the last
  /// ones are about to end, and goes on with those while asking fails. Fails with LoginRequired,
  /// NotFound, InvalidArgument, CorruptData, Network, Cancelled; texts name what was asked and hold
  /// no secret.
  Result<std::optional<Credential>> current(const std::stop_token& stop);

  /// Where keys were looked for: "the environment, profile default, the instance's metadata".
  std::string places() const;

 private:
  using Keys = Result<std::optional<AwsKeys>>;
  /// Of the first source that has any. `seen`: profiles that led here.
  Keys findIn(const std::vector<AwsSource>& sources, const AwsWorld& world,
              std::set<std::string>& seen) const;
  Keys ask(const AwsSource& source, const AwsWorld& world, std::set<std::string>& seen) const;
  Keys ofProfile(const AwsWorld& world, const std::string& profile,
                 std::set<std::string>& seen) const;
  Result<AwsKeys> byRole(const AwsWorld& world, const std::string& name,
                         std::set<std::string>& seen) const;

  std::optional<Credential> fixed_;
  Environment environment_;
  HttpSettings http_;
  std::string region_;
  Clock clock_;
  std::mutex mutex_;  ///< guards the rest; held while keys are asked for
  std::optional<AwsKeys> keys_;
  bool isAsked_ = false;  ///< and there were none
};

}  // namespace strata::hub
