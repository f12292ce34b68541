#include "hub/store_remote.h"

#include "hub/huggingface/hf_repository.h"
#include "hub/huggingface/model_card.h"

namespace strata::hub {

unsigned parallelTransfers(const Config& config) {
  constexpr unsigned kUsual = 4;
  const std::uint64_t jobs = config.number("jobs");
  return jobs == 0 ? kUsual : static_cast<unsigned>(jobs);
}

TransportOptions transportOptions(const Config& config, const std::string& version) {
  return {.parallel = parallelTransfers(config),
          .bytesPerSecond = config.byteCount("transfer.limit"),
          .offline = config.isOn("offline"),
          .proxy = config.text("proxy"),
          .version = version};
}

Result<std::unique_ptr<Transport>> openStoreRemote(const Store& store, const RemoteConfig& remote,
                                                   TransportOptions options) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.folder()));
  for (const RemoteConfig& other : list.remotes) options.siblings.push_back(other.url);
  options.stateFolder = store.folder() / "partial";
  return openTransport(remote, options);
}

PushPages pagesFor(const RemoteConfig& remote) {
  const auto repository = HfRepository::parse(remote.url);
  if (!repository) return {};
  return [id = repository->id](const RemoteLibrary& library, const std::string& plain) {
    return std::map<std::string, std::string>{{"README.md", modelCard(library, id, plain)}};
  };
}

}  // namespace strata::hub
