#include "cli/remote_access.h"

#include "hub/open_transport.h"

namespace strata::cli {

unsigned parallelTransfers(const Context& context) {
  constexpr unsigned kUsual = 4;
  const std::uint64_t jobs = context.config().number("jobs");
  return jobs == 0 ? kUsual : static_cast<unsigned>(jobs);
}

namespace {

/// Of all remotes of the store; none where there is no store.
Attempt<std::vector<std::string>> remoteUrls(Context& context) {
  std::vector<std::string> urls;
  const auto store = context.openStore();
  if (!store) return urls;
  auto list = RemoteList::load((*store)->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  for (const RemoteConfig& remote : list->remotes) urls.push_back(remote.url);
  return urls;
}

}  // namespace

hub::TransportOptions transportOptions(const Context& context) {
  return {.parallel = parallelTransfers(context),
          .bytesPerSecond = context.config().byteCount("transfer.limit"),
          .offline = context.config().isOn("offline"),
          .proxy = context.config().text("proxy"),
          .version = STRATA_VERSION};
}

Attempt<OpenRemote> openRemote(Context& context, RemoteConfig config, IfMade made) {
  hub::TransportOptions options = transportOptions(context);
  options.privateIfMade = made == IfMade::Private;
  STRATA_ATTEMPT(options.siblings, remoteUrls(context));
  auto transport = hub::openTransport(config, options);
  if (!transport) return problem(Problem(std::move(transport).error()));
  return OpenRemote{std::move(config), *std::move(transport)};
}

Attempt<OpenRemote> openRemote(Context& context, std::string_view word, IfMade made) {
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  auto chosen = list->choose(word);
  if (!chosen) {
    const bool hasNone = list->remotes.empty();
    return problem({std::move(chosen).error(),
                    hasNone ? "strata remote add hub hf://ORG/REPO" : "strata remote list"});
  }
  return openRemote(context, *std::move(chosen), made);
}

Attempt<std::string> takeRemoteWord(Context& context, std::vector<std::string>& words) {
  if (words.empty()) return std::string{};
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  if (!isRemoteUrl(words.back()) && list->find(words.back()) == nullptr) return std::string{};
  std::string word = std::move(words.back());
  words.pop_back();
  return word;
}

}  // namespace strata::cli
