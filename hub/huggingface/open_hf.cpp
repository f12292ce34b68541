#include "hub/huggingface/open_hf.h"

#include <fmt/format.h>

#include <cctype>

#include "hub/credentials/credentials.h"
#include "hub/huggingface/hf_search.h"
#include "hub/huggingface/hf_transport.h"
#include "hub/remote_http.h"

namespace strata::hub {
namespace {

struct Place {
  HfRepository repository;
  std::string endpoint;
  std::string token;
  HttpSettings http;
};

/// What the hub's own tools take for a yes.
bool isYes(std::string word) {
  for (char& letter : word) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return word == "1" || word == "ON" || word == "YES" || word == "TRUE";
}

/// The hub, and our token there.
Result<Place> hubOf(const RemoteConfig& remote, const TransportOptions& options) {
  Place place;
  STRATA_TRY(place.http, httpSettingsOf(remote, options));
  const Environment environment = processEnvironment();
  place.http.offline = options.offline || isYes(environment("HF_HUB_OFFLINE"));
  place.endpoint = remote.endpoint.empty() ? huggingFaceEndpoint(environment) : remote.endpoint;
  while (place.endpoint.ends_with('/')) place.endpoint.pop_back();
  STRATA_TRY(const CredentialQuery query,
             credentialQuery(remote.url, remote.endpoint, remote.name, environment));
  STRATA_TRY(const auto credential, Credentials(environment).find(query));
  if (credential) place.token = credential->secret;
  return place;
}

Result<Place> placeOf(const RemoteConfig& remote, const TransportOptions& options) {
  STRATA_TRY(HfRepository repository, HfRepository::parse(remote.url));
  STRATA_TRY(Place place, hubOf(remote, options));
  place.repository = std::move(repository);
  return place;
}

}  // namespace

Result<std::unique_ptr<HfApi>> openHfApi(const RemoteConfig& remote,
                                         const TransportOptions& options) {
  STRATA_TRY(Place place, placeOf(remote, options));
  return std::make_unique<HfApi>(std::move(place.http), std::move(place.endpoint),
                                 std::move(place.repository), std::move(place.token));
}

Result<std::unique_ptr<ModelIndex>> openHfSearch(const RemoteConfig& remote,
                                                 const TransportOptions& options) {
  STRATA_TRY(Place place, hubOf(remote, options));
  std::string author = remote.url.substr(remote.url.find("://") + 3);
  while (author.ends_with('/')) author.pop_back();
  return std::make_unique<HfSearch>(
      std::make_unique<HfApi>(std::move(place.http), std::move(place.endpoint),
                              std::move(place.repository), std::move(place.token)),
      std::move(author));
}

Result<std::unique_ptr<Transport>> openHfTransport(const RemoteConfig& remote,
                                                   const TransportOptions& options) {
  STRATA_TRY(Place place, placeOf(remote, options));
  if (!place.repository.path.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: a remote is a whole repository, not {} in one; expected "
                            "hf://ORG/REPO[@REVISION]",
                            remote.url, place.repository.path));
  }
  return std::make_unique<HfTransport>(std::move(place.http), std::move(place.endpoint),
                                       std::move(place.repository), std::move(place.token),
                                       options.privateIfMade, options.stateFolder);
}

}  // namespace strata::hub
