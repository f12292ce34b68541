#include "hub/credentials/aws_files.h"

#include <filesystem>
#include <fstream>
#include <map>

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using Section = std::map<std::string, std::string>;

constexpr int kMostLines = 10'000;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// The keys of one section of an INI file; none if there is no such file or section. Indented
/// lines nest settings of one service: `s3 = / addressing_style = path` is "s3.addressing_style".
Section readSection(const fs::path& file, const std::string& wanted) {
  std::ifstream in(file);
  Section section;
  bool isInside = false;
  std::string service;
  std::string line;
  for (int n = 0; n < kMostLines && std::getline(in, line); ++n) {
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      isInside = trimmed(line.substr(1, line.find(']') - 1)) == wanted;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!isInside || equals == std::string::npos) continue;
    const bool isNested = line.front() == ' ' || line.front() == '\t';
    std::string key = trimmed(line.substr(0, equals));
    if (!isNested) service = key;
    if (isNested) key.insert(0, service + '.');
    section[key] = trimmed(line.substr(equals + 1));
  }
  return section;
}

fs::path fileOf(const Environment& environment, const char* variable, const char* name) {
  const std::string file = environment(variable);
  return file.empty() ? fs::path(environment("HOME")) / ".aws" / name : fs::path(file);
}

std::string profileOf(const Environment& environment) {
  const std::string profile = environment("AWS_PROFILE");
  return profile.empty() ? "default" : profile;
}

fs::path configFile(const Environment& environment) {
  return fileOf(environment, "AWS_CONFIG_FILE", "config");
}

Section configSection(const Environment& environment) {
  const std::string profile = profileOf(environment);
  return readSection(configFile(environment),
                     profile == "default" ? profile : "profile " + profile);
}

std::optional<Credential> keysOf(const Section& section, const fs::path& file) {
  const auto value = [&](const char* key) {
    const auto found = section.find(key);
    return found == section.end() ? std::string() : found->second;
  };
  Credential keys{.user = value("aws_access_key_id"),
                  .secret = value("aws_secret_access_key"),
                  .sessionToken = value("aws_session_token"),
                  .source = file.string()};
  if (keys.user.empty() || keys.secret.empty()) return std::nullopt;
  return keys;
}

}  // namespace

AwsSettings awsSettings(const Environment& environment) {
  const Section section = configSection(environment);
  const auto first = [&](std::initializer_list<const char*> variables, const char* key) {
    for (const char* const variable : variables) {
      if (std::string value = environment(variable); !value.empty()) return value;
    }
    const auto found = section.find(key);
    return found == section.end() ? std::string() : found->second;
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
  const fs::path file = fileOf(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  if (auto keys = keysOf(readSection(file, profileOf(environment)), file)) return keys;
  return keysOf(configSection(environment), configFile(environment));
}

}  // namespace strata::hub
