#include "hub/credentials/docker_config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/text/json_text.h"
#include "hub/credentials/credential_helper.h"
#include "hub/http/base64.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kHelperLimit{30};
constexpr std::size_t kMostFileBytes = 1 << 20;

std::vector<fs::path> filesOf(const Environment& environment) {
  const fs::path home = environment("HOME");
  const auto folder = [&](const char* variable, const fs::path& fallback) {
    const std::string value = environment(variable);
    return value.empty() ? fallback : fs::path(value);
  };
  std::vector<fs::path> files;
  if (const std::string file = environment("REGISTRY_AUTH_FILE"); !file.empty()) {
    files.emplace_back(file);
  }
  if (const std::string runtime = environment("XDG_RUNTIME_DIR"); !runtime.empty()) {
    files.push_back(fs::path(runtime) / "containers/auth.json");
  }
  files.push_back(folder("XDG_CONFIG_HOME", home / ".config") / "containers/auth.json");
  files.push_back(folder("DOCKER_CONFIG", home / ".docker") / "config.json");
  return files;
}

std::optional<json> readConfig(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMostFileBytes, '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size())).eof()) {
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  auto parsed = parseJson(text, file.string());
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return *std::move(parsed);
}

std::optional<std::string> decodeLines(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '\n'; }),
             text.end());
  return decodeBase64(text);
}

/// What a file may call the registry: the repository, each folder above it, the host; old files
/// write a URL.
std::vector<std::string> keysFor(const CredentialQuery& query) {
  std::vector<std::string> keys;
  std::string path = query.repository.empty() ? query.host : query.host + '/' + query.repository;
  for (;;) {
    keys.push_back(path);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) break;
    path.resize(slash);
  }
  for (const char* const form : {"https://{}", "http://{}", "https://{}/v1/", "https://{}/v2/"}) {
    std::string key = form;
    keys.push_back(key.replace(key.find("{}"), 2, query.host));
  }
  if (query.host == "docker.io" || query.host == "registry-1.docker.io") {
    keys.emplace_back("https://index.docker.io/v1/");
  }
  return keys;
}

std::optional<Credential> fromEntry(const json& entry, const std::string& source) {
  Credential credential{.source = source};
  const auto identity = textMember(entry, "identitytoken");
  const auto auth = textMember(entry, "auth");
  if (auth) {
    const auto plain = decodeLines(*auth);
    const std::size_t colon = plain ? plain->find(':') : std::string::npos;
    if (colon != std::string::npos) {
      credential.user = plain->substr(0, colon);
      credential.secret = plain->substr(colon + 1);
    }
  }
  if (identity && !identity->empty()) {
    credential.secret = *identity;
    credential.isIdentityToken = true;
  }
  if (credential.secret.empty()) return std::nullopt;
  return credential;
}

std::optional<Credential> fromHelper(const std::string& helper, const std::string& host) {
  const auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (helper.empty() || !std::all_of(helper.begin(), helper.end(), isPlain)) return std::nullopt;
  const std::string program = "docker-credential-" + helper;
  const auto output = runCredentialHelper({program, "get"}, host, kHelperLimit);
  if (!output) return std::nullopt;
  const auto answer = parseJson(*output, program);
  if (!answer) return std::nullopt;
  Credential credential{.user = textMember(*answer, "Username").value_or(""),
                        .secret = textMember(*answer, "Secret").value_or(""),
                        .source = program};
  if (credential.user == "<token>") {
    credential.user.clear();
    credential.isIdentityToken = true;
  }
  if (credential.secret.empty()) return std::nullopt;
  return credential;
}

const json* memberOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::optional<Credential> fromConfig(const json& config, const CredentialQuery& query,
                                     const std::string& source) {
  const std::vector<std::string> keys = keysFor(query);
  if (const json* const helpers = memberOf(config, "credHelpers")) {
    for (const std::string& key : keys) {
      const auto helper = textMember(*helpers, key.c_str());
      if (!helper) continue;
      if (auto credential = fromHelper(*helper, key)) return credential;
    }
  }
  if (const json* const auths = memberOf(config, "auths")) {
    for (const std::string& key : keys) {
      const json* const entry = memberOf(*auths, key.c_str());
      if (entry == nullptr) continue;
      if (auto credential = fromEntry(*entry, source)) return credential;
    }
  }
  if (const auto helper = textMember(config, "credsStore")) return fromHelper(*helper, query.host);
  return std::nullopt;
}

}  // namespace

std::optional<Credential> dockerCredential(const CredentialQuery& query,
                                           const Environment& environment) {
  for (const fs::path& file : filesOf(environment)) {
    const auto config = readConfig(file);
    if (!config) continue;
    if (auto credential = fromConfig(*config, query, file.string())) return credential;
  }
  return std::nullopt;
}

}  // namespace strata::hub
