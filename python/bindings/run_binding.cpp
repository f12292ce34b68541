#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "core/ops/runs/resume_run.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/add_settings.h"
#include "onnx_io/checkpoint/finished_check.h"
#include "python/bindings/fetching.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {
namespace {

nb::list listOfSnapshots(const std::vector<RunVersion>& snapshots) {
  return listOf(snapshots, [](const RunVersion& one) {
    return nb::make_tuple(textOf(one.version.label()), one.step, textOf(one.checkpoint));
  });
}

nb::list snapshots(const PythonStore& self, const std::string& run) {
  const SharedStore store = self.share();
  return listOfSnapshots(runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return runSnapshots(*(*store)->store, run);
  }));
}

nb::list toResume(const PythonStore& self, const std::string& run,
                  const std::optional<std::uint64_t>& step) {
  const SharedStore store = self.share();
  return listOfSnapshots(runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return snapshotsToResume(*(*store)->store, run, step);
  }));
}

nb::dict snapshot(const PythonStore& self, const std::string& run, const nb::bytes& path,
                  const std::optional<std::string>& base, const std::optional<std::string>& profile,
                  const std::string& note, const nb::object& progress) {
  const SharedStore shared = self.share();
  OpenStore& store = **shared;
  SnapshotOptions options{.add = {.name = run, .note = note},
                          .path = std::string(path.c_str(), path.size())};
  options.add.device = store.device.get();
  return dictOf(runOp(
      progress,
      [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<SnapshotReport> {
        STRATA_TRY(options.plan,
                   chooseCoding({.profile = profile, .base = base}, store.config, options.add));
        options.fetch = [&](const VersionEntry& version) {
          return fetchAwaited(store, version.label(), stop, sink);
        };
        return takeSnapshot(*store.store, checkpointTools(), options, stop, sink);
      }));
}

nb::dict resume(const PythonStore& self, const std::string& run, const nb::bytes& target,
                const std::optional<std::uint64_t>& step, bool force, bool memory,
                const nb::object& progress) {
  const SharedStore shared = self.share();
  const OpenStore& store = **shared;
  ResumeOptions options{.run = run,
                        .step = step,
                        .target = std::string(target.c_str(), target.size()),
                        .force = force,
                        .verify = store.config.isOn("restore.verify"),
                        .device = store.device.get()};
  if (memory) options.memoryFolder = store.config.text("watch.memory");
  return dictOf(runOp(
      progress, [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<ResumeReport> {
        options.fetch = [&](const VersionEntry& version) {
          return fetchAwaited(store, version.label(), stop, sink);
        };
        return resumeRun(*store.store, checkpointTools(), options, stop, sink);
      }));
}

}  // namespace

void bindRuns(StoreClass& store) {
  store
      .def("snapshots", &snapshots, nb::arg("run"),
           "(label, step, name) of each snapshot of a run, the newest first; the name is what its "
           "trainer called it.")
      .def("to_resume", &toResume, nb::arg("run"), nb::arg("step").none(),
           "The same of those that a training may go on from, the first that is complete.")
      .def("snapshot", &snapshot, nb::arg("run"), nb::arg("path"), nb::arg("base").none(),
           nb::arg("profile").none(), nb::arg("note"), nb::arg("progress").none(),
           "Stores a finished checkpoint of a run.")
      .def("resume", &resume, nb::arg("run"), nb::arg("target"), nb::arg("step").none(),
           nb::arg("force"), nb::arg("memory"), nb::arg("progress").none(),
           "Restores the newest complete snapshot of a run.");
}

}  // namespace strata::python
