#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "core/ops/exchange/remote_reference.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "hub/huggingface/model_from_hub.h"
#include "hub/open_transport.h"

namespace strata::cli {

/// Its name, or its URL if it has none.
const std::string& shownName(const RemoteConfig& remote) noexcept;

using hub::remoteWord;
/// The URL of a new remote: as remoteWord, but fails where no remote can be there.
Attempt<std::string> remoteUrl(const std::string& word);

/// Says in a line on stderr that what is sent to a remote, or comes from it, others may change.
void warnOfInsecure(Output& output, const RemoteConfig& remote);

/// A remote that a command works with.
struct OpenRemote {
  RemoteConfig config;
  std::unique_ptr<Transport> transport;
  const std::string& shown() const noexcept { return shownName(config); }
};

/// What a remote failed with, and which credential it refused, with what would help. Advice about
/// this store's versions would not.
Problem remoteProblem(Error error, const RemoteConfig& remote);

/// What becomes of a repository that a push makes.
enum class IfMade { Private, Public };

/// Opens the remote that `word` names: one of the store's, or a URL; empty: the default one.
Attempt<OpenRemote> openRemote(Context& context, std::string_view word,
                               IfMade made = IfMade::Private);
Attempt<OpenRemote> openRemote(Context& context, RemoteConfig config,
                               IfMade made = IfMade::Private);

/// Fetches the plain model that a URL names, until it is stored.
Attempt<hub::ModelFromHub> fetchFromHub(Context& context, const Store& store,
                                        const std::string& url);

/// What settings and options say of transfers.
hub::TransportOptions transportOptions(Context& context);

/// `REF... [REMOTE]`: takes the last word off if it is a remote's name or a URL. Without one the
/// remote that all of `REMOTE/REF...` name, which then become `REF...`; else empty.
Attempt<std::string> takeRemoteWord(Context& context, std::vector<std::string>& words);

/// The version that `REMOTE/REF` means, by what the remote listed last; one that was never asked is
/// asked now. Nothing if `word` is no such reference.
Attempt<std::optional<RemoteFinding>> findOnRemote(Context& context, const std::string& word);

/// A reference for this store: `word` itself, or "@HASH" for a `REMOTE/REF` whose content is here.
/// NotFound with the pull that brings it where it is not.
Attempt<std::string> storedReference(Context& context, const std::string& word);

/// Transfers at once: --jobs, else 4.
unsigned parallelTransfers(const Context& context);

}  // namespace strata::cli
