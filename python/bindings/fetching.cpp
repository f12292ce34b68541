#include "python/bindings/fetching.h"

#include <optional>
#include <set>
#include <utility>

#include "core/ops/exchange/pull_versions.h"
#include "core/store/objects/awaited_packs.h"
#include "hub/store_remote.h"

namespace strata::python {

Result<NamedRemote> openRemote(const OpenStore& store, const std::string& word) {
  STRATA_TRY(const RemoteList list, RemoteList::load(store.store->folder()));
  STRATA_TRY(RemoteConfig config, hub::chooseRemote(list, word));
  STRATA_TRY(auto transport,
             hub::openStoreRemote(*store.store, config,
                                  hub::transportOptions(store.config, STRATA_VERSION)));
  std::string name = config.name.empty() ? config.url : config.name;
  return NamedRemote{std::move(name), std::move(config), std::move(transport)};
}

Result<void> fetchAwaited(const OpenStore& store, const std::string& reference,
                          const std::stop_token& stop, const ProgressSink& progress) {
  const auto version = store.store->resolve(reference);
  if (!version) return {};
  // Packs of a parent may be elsewhere.
  for (std::set<std::string> asked;;) {
    const std::optional<AwaitedPacks> awaited = awaitedBy(*store.store, *version);
    if (!awaited || !asked.insert(pullCommand(*awaited)).second) return {};
    STRATA_TRY(const NamedRemote remote, openRemote(store, awaited->remote));
    const PullOptions options{.references = {awaited->reference},
                              .packsOnly = true,
                              .parallel = hub::parallelTransfers(store.config),
                              .keptAs = remote.name};
    STRATA_TRY(PullReport pulled,
               pullVersions(*store.store, *remote.transport, options, stop, progress));
    if (!pulled.failed.empty()) return fail(std::move(pulled.failed.front().error));
  }
}

}  // namespace strata::python
