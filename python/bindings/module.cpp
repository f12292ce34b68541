#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/bindings/model_binding.h"
#include "python/bindings/op_run.h"
#include "python/bindings/opened_binding.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {

SharedStore PythonStore::share() const {
  if (!store_) throwError({ErrorCode::InvalidArgument, "the store was closed"});
  if (!store_->isOwner()) throwForked();
  return store_;
}

namespace {

PythonStore openStore(const std::optional<nb::bytes>& path, bool create,
                      std::optional<std::string> device, std::optional<std::uint64_t> jobs,
                      std::optional<double> wait) {
  StoreChoice choice{
      .create = create, .device = std::move(device), .jobs = jobs, .waitSeconds = wait};
  if (path) choice.folder = std::string(path->c_str(), path->size());
  auto opened = runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return OpenStore::open(choice);
  });
  return PythonStore(std::make_shared<OwnedByProcess<OpenStore>>(std::move(opened)));
}

}  // namespace
}  // namespace strata::python

// NOLINTNEXTLINE: what the macro makes
NB_MODULE(_core, module) {
  using namespace strata::python;
  nb::set_leak_warnings(false);  // a daemon thread may hold what it used when the interpreter ends
  module.doc() = "The library behind the package strata. Use strata.Store.";
  module.attr("version") = STRATA_VERSION;  // a name that stubs have
  module.attr("exit_codes") = exitCodes();
  module.def("end_running", &endRunning, "Stops what other threads are doing, for good.");
  module.def("forget_running", &forgetRunning, "For a forked child.");
  bindModels(module);
  bindModelLists(module);
  bindOpened(module);
  StoreClass store(module, "Store", "A store that is open.");
  store
      .def_prop_ro(
          "folder",
          [](const PythonStore& self) { return pathOf((*self.share())->store->folder()); },
          nb::sig("def folder(self) -> str"))
      .def_prop_ro("closed", &PythonStore::isClosed)
      .def("close", &PythonStore::close, "Lets go of the store once what is under way has ended.")
      .def(
          "open",
          [](const PythonStore& self, const std::string& reference) {
            return new OpenedReader(self.share(), reference);
          },
          nb::arg("reference"), nb::rv_policy::take_ownership, "Opens a version for reading.");
  bindVersions(store);
  bindLists(store);
  bindRuns(store);
  bindExchange(store);
  bindTuning(store);
  module.def("open_store", &openStore, nb::arg("path").none(), nb::arg("create"),
             nb::arg("device").none(), nb::arg("jobs").none(), nb::arg("wait").none(),
             "Opens a store, or makes one first.");
}
