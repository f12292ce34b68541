#include "hub/store_remote.h"

#include <set>

#include "hub/huggingface/hf_repository.h"
#include "hub/huggingface/model_card.h"

namespace strata::hub {

unsigned parallelTransfers(const Config& config) {
  constexpr unsigned kUsual = 4;
  const std::uint64_t jobs = config.number("jobs");
  return jobs == 0 ? kUsual : static_cast<unsigned>(jobs);
}

TransportOptions transportOptions(const Config& config, const std::string& version) {
  Result<void> confirmed = config.checkConfirmed("proxy");
  if (confirmed) confirmed = config.checkConfirmed("oci.realms");
  return {.parallel = parallelTransfers(config),
          .bytesPerSecond = config.byteCount("transfer.limit"),
          .leastBytesPerSecond = config.byteCount("transfer.least"),
          .offline = config.isOn("offline"),
          .proxy = config.text("proxy"),
          .realms = config.text("oci.realms"),
          .unconfirmed = confirmed ? std::string{} : confirmed.error().message,
          .version = version};
}

Result<RemoteConfig> chooseRemote(const RemoteList& list, std::string_view word) {
  std::string place = remoteWord(word);
  // An earlier program kept a folder as it was spelled.
  for (const RemoteConfig& one : list.remotes) {
    const bool isIt = isRemoteUrl(place) && one.unconfirmed.empty() && remoteWord(one.url) == place;
    if (!isIt) continue;
    place = one.url;
    break;
  }
  return list.choose(place);
}

Result<std::unique_ptr<Transport>> openStoreRemote(const Store& store, const RemoteConfig& remote,
                                                   TransportOptions options) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.folder()));
  for (const RemoteConfig& other : list.remotes) {
    if (other.unconfirmed.empty()) options.siblings.push_back(other.url);
  }
  options.stateFolder = store.folder() / "partial";
  return openTransport(remote, options);
}

namespace {

Result<void> endUploadsAt(const Store& store, const std::string& remote,
                          const TransportOptions& options, const std::stop_token& stop) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.folder()));
  STRATA_TRY(const RemoteConfig config, list.choose(remote));
  STRATA_TRY(const std::unique_ptr<Transport> transport, openStoreRemote(store, config, options));
  STRATA_TRY(transport->abandonUploads(stop));
  return {};
}

}  // namespace

std::vector<Error> endUploadsOf(const Store& store, const std::vector<TransferRequest>& forgotten,
                                const TransportOptions& options, const std::stop_token& stop) {
  std::set<std::string> remotes;
  for (const TransferRequest& request : forgotten) {
    const bool isPush = request.direction == TransferRequest::Direction::Push;
    if (isPush && isConfirmed(store, request)) remotes.insert(request.remote);
  }
  if (remotes.empty()) return {};
  const auto listed = listTransfers(store);
  if (!listed) return {listed.error()};
  for (const TransferEntry& entry : *listed) {
    if (entry.request.direction == TransferRequest::Direction::Push) {
      remotes.erase(entry.request.remote);
    }
  }
  std::vector<Error> failures;
  for (const std::string& remote : remotes) {
    const Result<void> ended = endUploadsAt(store, remote, options, stop);
    if (!ended) failures.push_back(ended.error().within(remote));
  }
  return failures;
}

PushCards cardsFor(const RemoteConfig& remote) {
  const auto repository = HfRepository::parse(remote.url);
  if (!repository) return {};
  return [id = repository->id](const RemoteLibrary& library, const std::string& plain) {
    return std::map<std::string, std::string>{{"README.md", modelCard(library, id, plain)}};
  };
}

}  // namespace strata::hub
