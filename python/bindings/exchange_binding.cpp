#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "hub/store_remote.h"
#include "python/bindings/fetching.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {
namespace {

nb::dict push(const PythonStore& self, const std::vector<std::string>& references,
              const std::string& remote, bool withBase, bool dryRun, const std::string& message,
              const nb::object& progress) {
  const SharedStore shared = self.share();
  const OpenStore& store = **shared;
  return dictOf(runOp(
      progress, [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<PushReport> {
        STRATA_TRY(const NamedRemote opened, openRemote(store, remote));
        const PushOptions options{.references = references,
                                  .withBase = withBase,
                                  .dryRun = dryRun,
                                  .message = message,
                                  .parallel = hub::parallelTransfers(store.config),
                                  .keptAs = opened.name,
                                  .cards = hub::cardsFor(opened.config)};
        return pushVersions(*store.store, *opened.transport, options, stop, sink);
      }));
}

nb::dict pull(const PythonStore& self, const std::vector<std::string>& references,
              const std::string& remote, std::uint32_t latest, bool lazy, bool dryRun,
              const nb::object& progress) {
  const SharedStore shared = self.share();
  const OpenStore& store = **shared;
  return dictOf(runOp(
      progress, [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<PullReport> {
        STRATA_TRY(const NamedRemote opened, openRemote(store, remote));
        const PullOptions options{.references = references,
                                  .latest = latest,
                                  .lazy = lazy,
                                  .dryRun = dryRun,
                                  .parallel = hub::parallelTransfers(store.config),
                                  .keptAs = opened.name};
        return pullVersions(*store.store, *opened.transport, options, stop, sink);
      }));
}

}  // namespace

void bindExchange(StoreClass& store) {
  store
      .def("push", &push, nb::arg("references"), nb::arg("remote"), nb::arg("with_base"),
           nb::arg("dry_run"), nb::arg("message"), nb::arg("progress").none(),
           "Sends versions to a remote.")
      .def("pull", &pull, nb::arg("references"), nb::arg("remote"), nb::arg("latest"),
           nb::arg("lazy"), nb::arg("dry_run"), nb::arg("progress").none(),
           "Fetches versions from a remote.");
}

}  // namespace strata::python
