#include "hub/credentials/credential.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/text/url_text.h"

namespace strata::hub {

std::string_view name(Service service) noexcept {
  switch (service) {
    case Service::HuggingFace:
      return "hf";
    case Service::Registry:
      return "oci";
    case Service::ObjectStore:
      break;
  }
  return "s3";
}

Environment processEnvironment() {
  return [](const std::string& variable) {
    const char* const value = std::getenv(variable.c_str());
    return std::string(value == nullptr ? "" : value);
  };
}

std::string huggingFaceEndpoint(const Environment& environment) {
  std::string endpoint = environment("HF_ENDPOINT");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint.empty() ? "https://huggingface.co" : endpoint;
}

std::string hostOfUrl(std::string_view url) {
  const std::string_view authority = authorityOf(url.substr(0, url.find_first_of("?#")));
  std::string host(authority.substr(authority.rfind('@') + 1));
  for (char& c : host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return host;
}

Result<CredentialQuery> credentialQuery(std::string_view url, std::string_view endpoint,
                                        std::string_view remote, const Environment& environment) {
  const std::size_t end = url.find("://");
  const std::string_view scheme = end == std::string_view::npos ? "" : url.substr(0, end);
  CredentialQuery query;
  query.remote = remote;
  if (scheme == "hf") {
    query.service = Service::HuggingFace;
    query.host = hostOfUrl(endpoint.empty() ? huggingFaceEndpoint(environment) : endpoint);
  } else if (scheme == "oci") {
    query.service = Service::Registry;
    query.host = hostOfUrl(url);
    const std::size_t slash = url.find('/', end + 3);
    if (slash != std::string_view::npos) query.repository = url.substr(slash + 1);
  } else if (scheme == "s3") {
    query.service = Service::ObjectStore;
    query.host = endpoint.empty() ? "amazonaws.com" : hostOfUrl(endpoint);
  } else if (scheme == "file") {
    return fail(ErrorCode::Unsupported, fmt::format("{}: folders need no login", url));
  }
  if (query.host.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("\"{}\" is no URL of a remote; expected hf://, oci:// or s3://", url));
  }
  return query;
}

}  // namespace strata::hub
