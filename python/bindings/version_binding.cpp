#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/ops/inspect/version_log.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/ops/versions/add_settings.h"
#include "python/bindings/fetching.h"
#include "python/bindings/model_binding.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {
namespace {

nb::list versions(const PythonStore& self, const std::string& glob, const std::string& filter,
                  bool all) {
  const SharedStore store = self.share();
  const ListReport report = runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return listVersions(*(*store)->store, {.glob = glob, .allVersions = all, .filter = filter});
  });
  return listOf(report.rows, [](const ListRow& row) { return dictOf(row); });
}

nb::list log(const PythonStore& self, const std::string& name, std::size_t limit) {
  const SharedStore store = self.share();
  const LogReport report = runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return versionLog(*(*store)->store, {.name = name, .limit = limit});
  });
  return listOf(report.rows, [](const ListRow& row) { return dictOf(row); });
}

/// Nothing where there is no such version any more.
nb::object listed(const PythonStore& self, const std::string& label) {
  const SharedStore shared = self.share();
  const auto row =
      runOp(nb::none(),
            [&](const std::stop_token&, const ProgressSink&) -> Result<std::optional<ListRow>> {
              const Store& store = *(*shared)->store;
              const auto version = store.resolve(label);
              if (!version) return std::nullopt;
              return listedVersion(store, *version);
            });
  return row ? nb::object(dictOf(*row)) : nb::object(nb::none());
}

/// What add() was asked for, beside the model.
struct AddWish {
  AddOptions options = {};
  CodingWish coding = {};
};

Result<AddReport> addModel(OpenStore& store, const ModelSource& model, AddWish wish,
                           const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(const std::optional<QualityPlan> plan,
             chooseCoding(wish.coding, store.config, wish.options));
  wish.options.device = store.device.get();
  return addByPlan(*store.store, model, wish.options, plan, stop, progress);
}

nb::dict add(const PythonStore& self, const std::string& name, const InputModel& model,
             const std::optional<std::string>& base, const std::optional<std::string>& profile,
             const std::optional<std::string>& effort, const std::string& note,
             const std::vector<std::string>& tags, const std::optional<bool>& chain, bool dryRun,
             const nb::object& progress) {
  const SharedStore store = self.share();
  AddWish wish{.options = {.name = name, .note = note, .tags = tags, .dryRun = dryRun},
               .coding = {.profile = profile, .base = base}};
  if (chain) wish.coding.chain = *chain ? ChainPolicy::Always : ChainPolicy::Never;
  if (effort) wish.coding.effort = effortNamed(*effort);
  return dictOf(runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) {
    return addModel(**store, *model.source, wish, stop, sink);
  }));
}

nb::dict restore(const PythonStore& self, const std::string& reference, const nb::bytes& target,
                 bool force, bool backup, const std::optional<bool>& verify, bool weightsOnly,
                 const nb::object& progress) {
  const SharedStore store = self.share();
  const RestoreOptions options{.reference = reference,
                               .target = std::string(target.c_str(), target.size()),
                               .force = force,
                               .backup = backup,
                               .verify = verify.value_or((*store)->config.isOn("restore.verify")),
                               .weightsOnly = weightsOnly,
                               .device = (*store)->device.get()};
  return dictOf(
      runOp(progress,
            [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<RestoreReport> {
              STRATA_TRY(fetchAwaited(**store, reference, stop, sink));
              return restoreVersion(*(*store)->store, options, stop, sink);
            }));
}

/// Against the version's own base, or `other`, which is a reference or a model.
nb::dict diff(const PythonStore& self, const std::string& reference,
              const std::optional<std::string>& other, const InputModel* model,
              const std::string& label, const std::vector<std::string>& names, double threshold,
              const nb::object& progress) {
  const SharedStore shared = self.share();
  const Store* const store = (*shared)->store.get();
  const DiffOptions options{.threshold = threshold, .globs = names};
  return dictOf(runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) {
    if (!other && model == nullptr) return diffToBase(*store, reference, options, stop, sink);
    const DiffSide a{.store = store, .reference = reference};
    const DiffSide b = model != nullptr ? DiffSide{.model = model->source.get(), .label = label}
                                        : DiffSide{.store = store, .reference = *other};
    return diffModels(a, b, options, stop, sink);
  }));
}

nb::dict verify(const PythonStore& self, const std::vector<std::string>& references,
                const std::string& level, const nb::object& progress) {
  const SharedStore store = self.share();
  using Level = VerifyOptions::Level;
  VerifyOptions options{.device = (*store)->device.get(), .references = references};
  if (level == "quick") {
    options.level = Level::Quick;
  } else if (level == "rebuild") {
    options.level = Level::Rebuild;
  } else if (level != "full") {
    throwError({ErrorCode::InvalidArgument,
                fmt::format("level is \"{}\", expected quick, full or rebuild", level)});
  }
  return dictOf(runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) {
    return verifyStore(*(*store)->store, options, stop, sink);
  }));
}

}  // namespace

Effort effortNamed(const std::string& name) {
  const auto effort = effortFromName(name);
  if (effort) return *effort;
  throwError({ErrorCode::InvalidArgument,
              fmt::format("effort is \"{}\", expected fast, default or best", name)});
}

void bindVersions(StoreClass& store) {
  store
      .def("versions", &versions, nb::arg("glob"), nb::arg("filter"), nb::arg("all"),
           "What the store lists.")
      .def("listed", &listed, nb::arg("label"),
           nb::sig("def listed(self, label: str) -> dict | None"),
           "A version, with its parents and what it awaits.")
      .def("log", &log, nb::arg("name"), nb::arg("limit"), "Versions, the newest first.")
      .def("add", &add, nb::arg("name"), nb::arg("model"), nb::arg("base").none(),
           nb::arg("profile").none(), nb::arg("effort").none(), nb::arg("note"), nb::arg("tags"),
           nb::arg("chain").none(), nb::arg("dry_run"), nb::arg("progress").none(),
           "Stores a model as the next version of a name.")
      .def("restore", &restore, nb::arg("reference"), nb::arg("target"), nb::arg("force"),
           nb::arg("backup"), nb::arg("verify").none(), nb::arg("weights_only"),
           nb::arg("progress").none(), "Writes a version's files.")
      .def("diff", &diff, nb::arg("reference"), nb::arg("other").none(), nb::arg("model").none(),
           nb::arg("label"), nb::arg("names"), nb::arg("threshold"), nb::arg("progress").none(),
           "Compares two models tensor by tensor.")
      .def("verify", &verify, nb::arg("references"), nb::arg("level"), nb::arg("progress").none(),
           "Looks for damage.");
}

}  // namespace strata::python
