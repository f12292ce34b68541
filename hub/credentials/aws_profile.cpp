#include "hub/credentials/aws_profile.h"

#include <fstream>

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 10'000;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

fs::path fileOf(const Environment& environment, const char* variable, const char* name) {
  const std::string file = environment(variable);
  return file.empty() ? fs::path(environment("HOME")) / ".aws" / name : fs::path(file);
}

}  // namespace

AwsSection readAwsSection(const fs::path& file, const std::string& wanted) {
  std::ifstream in(file);
  AwsSection section;
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

std::string valueOf(const AwsSection& section, const std::string& key) {
  const auto found = section.find(key);
  return found == section.end() ? std::string() : found->second;
}

fs::path awsConfigFile(const Environment& environment) {
  return fileOf(environment, "AWS_CONFIG_FILE", "config");
}

fs::path awsCredentialsFile(const Environment& environment) {
  return fileOf(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
}

std::string awsProfileName(const Environment& environment) {
  const std::string profile = environment("AWS_PROFILE");
  return profile.empty() ? "default" : profile;
}

AwsSection readAwsProfile(const Environment& environment, const std::string& profile) {
  AwsSection section = readAwsSection(awsCredentialsFile(environment), profile);
  section.merge(readAwsSection(awsConfigFile(environment),
                               profile == "default" ? profile : "profile " + profile));
  return section;
}

}  // namespace strata::hub
