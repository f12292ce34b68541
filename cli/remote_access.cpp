#include "cli/remote_access.h"

#include <fmt/format.h>

#include "core/ops/fetch_remote.h"
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
  if (const auto store = context.openStore()) options.stateFolder = (*store)->folder() / "partial";
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
  std::string remote;
  if (isRemoteUrl(words.back()) || list->find(words.back()) != nullptr) {
    remote = std::move(words.back());
    words.pop_back();
  }
  for (std::string& word : words) {
    const auto reference = readRemoteReference(*list, word);
    if (!reference) continue;
    if (!remote.empty() && remote != reference->remote) {
      return usage(
          fmt::format("{}: one command works with one remote, this one with {}", word, remote));
    }
    remote = reference->remote;
    word = reference->reference;
  }
  return remote;
}

Attempt<std::optional<RemoteFinding>> findOnRemote(Context& context, const std::string& word) {
  if (word.find('/') == std::string::npos) return std::nullopt;
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  const auto reference = readRemoteReference(*list, word);
  if (!reference) return std::nullopt;
  auto found = findRemoteVersion(*store, *reference);
  if (found && !*found) {
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, reference->remote));
    auto asked = fetchRemote(*store, *remote.transport, reference->remote, context.stopToken());
    if (!asked) return problem(Problem(std::move(asked).error().within(reference->remote)));
    found = findRemoteVersion(*store, *reference);
  }
  if (found) return *std::move(found);
  const bool mayBeNewer = found.error().code == ErrorCode::NotFound;
  return problem(
      {std::move(found).error(), mayBeNewer ? "strata fetch " + reference->remote : std::string{}});
}

Attempt<std::string> storedReference(Context& context, const std::string& word) {
  STRATA_ATTEMPT(const std::optional<RemoteFinding> found, findOnRemote(context, word));
  if (!found) return word;
  if (!found->labelsHere.empty()) return "@" + toHex(found->version.ref.contentDigest);
  return problem(ErrorCode::NotFound, word + ": is on the remote and not in this store",
                 "strata pull " + word);
}

}  // namespace strata::cli
