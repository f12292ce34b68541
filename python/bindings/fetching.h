#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/progress.h"
#include "core/result.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "python/bindings/open_store.h"

namespace strata::python {

/// A remote and the name under which a transfer with it is kept.
struct NamedRemote {
  std::string name;
  RemoteConfig config;
  std::unique_ptr<Transport> transport;
};

/// Fails as choosing and opening a remote does.
Result<NamedRemote> openRemote(const OpenStore& store, const std::string& word);

/// Brings what a lazy pull left out of a version and its parents. A version that is not there is
/// for who needs it to speak of. Fails as pulling does.
Result<void> fetchAwaited(const OpenStore& store, const std::string& reference,
                          const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata::python
