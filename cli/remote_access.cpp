#include "cli/remote_access.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/ops/exchange/fetch_remote.h"
#include "core/text/command_words.h"
#include "hub/accounts/account_access.h"
#include "hub/open_transport.h"
#include "hub/store_remote.h"

namespace strata::cli {

unsigned parallelTransfers(const Context& context) {
  return hub::parallelTransfers(context.config());
}

namespace {

/// Which credential was refused, and what helps: one that others keep hides what we would.
void explainLogin(Problem& cause, const RemoteConfig& remote) {
  const auto server = hub::credentialServer(remote, {}, hub::processEnvironment());
  if (!server) return;  // a folder
  const auto status = hub::loginStatus(hub::Credentials(), *server, hub::AskServer::No, {});
  const bool isOthers = status && !status->sources.empty() && !status->isOurs;
  if (status && !status->sources.empty()) {
    cause.details.push_back("The credential came from " + status->sources.front());
  }
  cause.fix = (isOthers ? "strata auth status " : "strata auth login ") + shownName(remote);
}

/// Whether a remote with a name is a folder that is not there: it was moved, or is not mounted.
bool isGone(const RemoteConfig& remote) {
  if (remote.name.empty() || !remote.url.starts_with("file://")) return false;
  const auto folder = hub::folderOfUrl(remote.url);
  std::error_code status;
  return folder && !std::filesystem::exists(*folder, status) && !status;
}

}  // namespace

const std::string& shownName(const RemoteConfig& remote) noexcept {
  return remote.name.empty() ? remote.url : remote.name;
}

Attempt<std::string> remoteUrl(const std::string& word) {
  std::string url = remoteWord(word);
  const auto checked = hub::checkRemotePlace(url);
  if (checked) return url;
  std::error_code status;
  const bool isFolder = !isRemoteUrl(word) && std::filesystem::is_directory(word, status);
  std::string fix = isFolder ? "the same command with ./" + shellWord(word) : std::string{};
  return problem({checked.error(), std::move(fix)});
}

void warnOfInsecure(Output& output, const RemoteConfig& remote) {
  if (!remote.insecure) return;
  output.warning(printable(shownName(remote) +
                           ": its certificate is not checked; others may read and change what is "
                           "sent"));
}

Problem remoteProblem(Error error, const RemoteConfig& remote) {
  // A transport names itself by its URL, which may be all the name there is.
  const bool isNamed = error.message.starts_with(shownName(remote));
  Problem cause(isNamed ? std::move(error) : error.within(shownName(remote)));
  const ErrorCode code = cause.error.code;
  cause.adviceByCode = false;  // what the codes suggest is about this store
  if (code == ErrorCode::BaseMismatch) cause.fix = "strata import FILE --name NAME";
  const bool saysItself = cause.error.message.find("\"strata ") != std::string::npos;
  if (code == ErrorCode::NotFound && !saysItself && isGone(remote)) {
    cause.fix = fmt::format("strata remote set {} URL", remote.name);
  }
  if (code == ErrorCode::LoginRequired) explainLogin(cause, remote);
  return cause;
}

hub::TransportOptions transportOptions(Context& context) {
  hub::TransportOptions options = hub::transportOptions(context.config(), STRATA_VERSION);
  options.onWait = [&context](std::string_view reason, std::chrono::seconds longest) {
    context.endProgress();
    Output& output = context.output();
    output.event("waiting", {{"reason", reason}, {"longest_seconds", longest.count()}});
    output.note(printable(fmt::format("Waiting up to {} s: {}", longest.count(), reason)));
  };
  return options;
}

Attempt<hub::ModelFromHub> fetchFromHub(Context& context, const Store& store,
                                        const std::string& url) {
  const RemoteConfig remote{.name = {}, .url = url};
  auto model = hub::ModelFromHub::fetch(store.folder(), remote, transportOptions(context),
                                        context.stopToken(),
                                        context.progress(Context::JsonProgress::Events));
  context.endProgress();
  if (!model) return problem(remoteProblem(std::move(model).error(), remote));
  return *std::move(model);
}

Attempt<OpenRemote> openRemote(Context& context, RemoteConfig config, IfMade made) {
  hub::TransportOptions options = transportOptions(context);
  options.privateIfMade = made == IfMade::Private;
  const auto store = context.openStore();
  auto transport =
      store ? hub::openStoreRemote(**store, config, options) : hub::openTransport(config, options);
  if (!transport) {
    Problem cause(std::move(transport).error());
    cause.adviceByCode = false;  // it is not about this store
    return problem(std::move(cause));
  }
  warnOfInsecure(context.output(), config);
  return OpenRemote{std::move(config), *std::move(transport)};
}

Attempt<OpenRemote> openRemote(Context& context, std::string_view word, IfMade made) {
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  auto chosen = hub::chooseRemote(*list, word);
  if (!chosen) {
    const bool hasNone = list->remotes.empty();
    return problem({std::move(chosen).error(),
                    hasNone ? "strata remote add hub hf://ORG/REPO" : "strata remote list"});
  }
  return openRemote(context, *std::move(chosen), made);
}

namespace {

/// Whether a word that does not stand last is a remote all the same. A name that versions here
/// have, too, means those.
bool isMisplaced(const Store& store, const RemoteList& list, const std::string& word) {
  if (isRemoteUrl(word)) return true;
  if (list.find(word) == nullptr) return false;
  const auto versions = store.catalog().versionsOf(word);
  return versions && versions->empty();
}

tl::unexpected<Problem> misplaced(const std::string& word, const std::string& remote) {
  if (!remote.empty()) {
    return usage(
        fmt::format("{}: one command works with one remote, this one with {}", word, remote));
  }
  return usage(fmt::format("{}: is a remote, and the remote stands last", word),
               "the same command with " + shellWord(word) + " as its last word");
}

}  // namespace

Attempt<std::string> takeRemoteWord(Context& context, std::vector<std::string>& words) {
  if (words.empty()) return std::string{};
  STRATA_ATTEMPT(const Store* const store, context.openStore());
  auto list = RemoteList::load(store->folder());
  if (!list) return problem(Problem(std::move(list).error()));
  std::string remote;
  words.back() = remoteWord(words.back());
  if (isRemoteUrl(words.back()) || list->find(words.back()) != nullptr) {
    remote = std::move(words.back());
    words.pop_back();
  }
  for (std::string& word : words) {
    const auto reference = readRemoteReference(*list, word);
    if (!reference) {
      if (isMisplaced(*store, *list, word)) return misplaced(word, remote);
      word = storedWord(word);
      continue;
    }
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
    if (!asked) return problem(remoteProblem(std::move(asked).error(), remote.config));
    found = findRemoteVersion(*store, *reference);
  }
  if (found) return *std::move(found);
  const bool mayBeNewer = found.error().code == ErrorCode::NotFound;
  return problem(
      {std::move(found).error(), mayBeNewer ? "strata fetch " + reference->remote : std::string{}});
}

Attempt<std::string> storedReference(Context& context, const std::string& word) {
  STRATA_ATTEMPT(const std::optional<RemoteFinding> found, findOnRemote(context, word));
  if (!found) return storedWord(word);
  if (!found->labelsHere.empty()) return "@" + toHex(found->version.ref.contentDigest);
  return problem(ErrorCode::NotFound, word + ": is on the remote and not in this store",
                 "strata pull " + word);
}

}  // namespace strata::cli
