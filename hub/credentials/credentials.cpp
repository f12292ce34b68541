#include "hub/credentials/credentials.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/config/secret_variables.h"
#include "core/config/user_folders.h"
#include "core/io/core_dumps.h"
#include "core/text/url_text.h"
#include "hub/credentials/aws_files.h"
#include "hub/credentials/docker_config.h"
#include "hub/credentials/keychain.h"
#include "hub/credentials/secret_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

bool isOn(std::string value) {
  for (char& c : value) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

/// "user:password", or a token; of S3 "key-id:secret".
Credential fromWord(const std::string& word, const CredentialQuery& query, std::string source) {
  Credential credential{.secret = word, .source = std::move(source)};
  const std::size_t colon = word.find(':');
  if (query.service != Service::HuggingFace && colon != std::string::npos) {
    credential.user = word.substr(0, colon);
    credential.secret = word.substr(colon + 1);
  }
  return credential;
}

/// Whether the tools' own token is meant for this host.
bool isToolsEndpoint(const CredentialQuery& query, const Environment& environment) {
  return query.service == Service::HuggingFace &&
         query.host == hostOfUrl(huggingFaceEndpoint(environment));
}

/// The token file of the Hugging Face tools: other programs wrote it, so its mode is their affair.
std::optional<Credential> huggingFaceFile(const Environment& environment) {
  std::string file = environment("HF_TOKEN_PATH");
  if (file.empty()) {
    fs::path folder = environment("HF_HOME");
    if (folder.empty()) {
      const std::string cache = environment("XDG_CACHE_HOME");
      folder = (cache.empty() ? fs::path(environment("HOME")) / ".cache" : fs::path(cache)) /
               "huggingface";
    }
    file = (folder / "token").string();
  }
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  auto token = cleanToken(line, file);
  if (!token) return std::nullopt;
  return Credential{.secret = *std::move(token), .source = file};
}

KeychainEntry entryOf(const CredentialQuery& query) {
  return {std::string(name(query.service)), query.host, query.remote};
}

CredentialQuery withoutRemote(CredentialQuery query) {
  query.remote.clear();
  return query;
}

}  // namespace

void guardEnvironmentSecrets() {
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (holdsSecret(*entry)) return forbidCoreDumps();
  }
}

std::string tokenVariable(std::string_view remote) {
  std::string variable = "STRATA_TOKEN_";
  for (const char c : remote) {
    const bool isLetter = c >= 'a' && c <= 'z';
    const bool isKept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    variable += isLetter ? static_cast<char>(c - 'a' + 'A') : (isKept ? c : '_');
  }
  return variable;
}

fs::path Credentials::defaultFile() { return userFolders().config / "credentials.json"; }

Credentials::Credentials(Environment environment, fs::path file)
    : environment_(std::move(environment)), file_(std::move(file)) {}

std::optional<Credential> Credentials::fromEnvironment(const CredentialQuery& query) const {
  if (!query.remote.empty()) {
    const std::string variable = tokenVariable(query.remote);
    const std::string word = environment_(variable);
    if (!word.empty()) return fromWord(word, query, "$" + variable);
  }
  if (query.service == Service::ObjectStore) return awsEnvironmentKeys(environment_);
  if (!isToolsEndpoint(query, environment_)) return std::nullopt;
  for (const char* const variable : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    std::string word = environment_(variable);
    std::erase_if(word,
                  [](char c) { return c == '\r' || c == '\n'; });  // as the hub's own tools do
    const auto token = cleanToken(word, variable);
    if (token) return Credential{.secret = *token, .source = std::string("$") + variable};
  }
  return std::nullopt;
}

std::optional<Credential> Credentials::fromKeychain(const CredentialQuery& query) const {
  const auto found = Keychain::find(entryOf(query));
  if (!found) return std::nullopt;
  Credential credential{.source = "keychain", .isOurs = true};
  const std::size_t line = found->find('\n');  // user, line end, secret
  credential.user = line == std::string::npos ? "" : found->substr(0, line);
  credential.secret = line == std::string::npos ? *found : found->substr(line + 1);
  return credential;
}

Result<std::optional<Credential>> Credentials::fromOtherTools(const CredentialQuery& query) const {
  switch (query.service) {
    case Service::Registry:
      return dockerCredential(query, environment_);
    case Service::ObjectStore:
      return awsFileKeys(environment_);
    case Service::HuggingFace:
      break;
  }
  const bool isWanted =
      isToolsEndpoint(query, environment_) && !isOn(environment_("HF_HUB_DISABLE_IMPLICIT_TOKEN"));
  return isWanted ? huggingFaceFile(environment_) : std::nullopt;
}

Result<std::vector<Credential>> Credentials::collect(const CredentialQuery& query,
                                                     Scope scope) const {
  forbidCoreDumps();
  std::vector<Credential> found;
  const bool wantsAll = scope == Scope::All || scope == Scope::AllOutsideTools;
  const bool asksTools = scope == Scope::All || scope == Scope::First;
  const auto isEnough = [&] { return !wantsAll && !found.empty(); };
  const auto take = [&](std::optional<Credential> credential) {
    if (credential) found.push_back(*std::move(credential));
  };
  take(fromEnvironment(query));
  std::vector<CredentialQuery> names{query};
  if (!query.remote.empty()) names.push_back(withoutRemote(query));
  for (const CredentialQuery& one : names) {
    if (!isEnough()) take(fromKeychain(one));
  }
  for (const CredentialQuery& one : names) {
    if (isEnough()) break;
    STRATA_TRY(auto saved, file_.find(one));
    take(std::move(saved));
  }
  if (!isEnough() && asksTools) {
    STRATA_TRY(auto other, fromOtherTools(query));
    take(std::move(other));
  }
  return found;
}

Result<std::optional<Credential>> Credentials::find(const CredentialQuery& query) const {
  STRATA_TRY(auto found, collect(query, Scope::First));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::optional<Credential>> Credentials::findOutsideTools(
    const CredentialQuery& query) const {
  STRATA_TRY(auto found, collect(query, Scope::FirstOutsideTools));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::vector<Credential>> Credentials::allOutsideTools(const CredentialQuery& query) const {
  return collect(query, Scope::AllOutsideTools);
}

Result<std::vector<Credential>> Credentials::all(const CredentialQuery& query) const {
  return collect(query, Scope::All);
}

Result<std::string> Credentials::save(const CredentialQuery& query,
                                      const Credential& credential) const {
  const std::string word =
      credential.user.empty() ? credential.secret : credential.user + '\n' + credential.secret;
  if (Keychain::save(entryOf(query), word)) {
    STRATA_TRY(file_.remove(query));  // an older one would be a second place to look after
    return std::string("the keychain");
  }
  STRATA_TRY(file_.save(query, credential));
  return file_.path().string();
}

Result<bool> Credentials::remove(const CredentialQuery& query) const {
  const bool wasInKeychain = Keychain::remove(entryOf(query));
  STRATA_TRY(const bool wasInFile, file_.remove(query));
  return wasInKeychain || wasInFile;
}

}  // namespace strata::hub
