#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "core/ops/versions/add_list.h"
#include "core/ops/versions/add_settings.h"
#include "core/transfer/remote_config.h"
#include "hub/store_remote.h"
#include "python/bindings/fetching.h"
#include "python/bindings/model_binding.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {
namespace {

/// NAME, FILE and BASE as Python gives them.
using GivenModel = std::tuple<std::string, nb::bytes, std::string>;

/// Python fetches what fsspec knows of; what it does not know the line fails with.
Result<void> takesUrl(const std::string&) { return {}; }

std::vector<ListedModel> givenModels(const std::vector<GivenModel>& given) {
  std::vector<ListedModel> models;
  for (const auto& [name, file, base] : given) {
    models.push_back({name, std::string(file.c_str(), file.size()), base, models.size() + 1});
  }
  valueOrThrow(checkModelList(models, takesUrl));
  return models;
}

/// "0/4".
Shard shardNamed(const std::string& text) {
  auto shard = parseShard(text);
  if (!shard) throwError(shard.error().within("shard"));
  return *shard;
}

/// What a file with a list says, as such models.
nb::list readList(const nb::bytes& text, const std::string& source) {
  const auto models = valueOrThrow(readModelList({text.c_str(), text.size()}, source, takesUrl));
  return listOf(models, [](const ListedModel& one) {
    return nb::make_tuple(textOf(one.name), nb::bytes(one.file.data(), one.file.size()),
                          textOf(one.base));
  });
}

nb::dict dictOf(const AddListReport& report) {
  nb::dict dict;
  dict["stored"] = report.stored;
  dict["known"] = report.known;
  dict["there"] = report.there;
  dict["failed"] = listOf(report.failed, [](const AddListReport::FailedLine& one) {
    return nb::make_tuple(textOf(one.model.name), textOf(one.error.message));
  });
  dict["pushed"] = report.pushed;
  dict["sent_bytes"] = report.pushedBytes;
  dict["unsent"] = listOf(report.unsent, [](const FailedTransfer& one) {
    return nb::make_tuple(textOf(one.label), textOf(one.error.message));
  });
  dict["seconds"] = report.seconds;
  return dict;
}

/// The file or folder that Python fetches a URL into. Called without the GIL.
Result<std::string> fetch(const nb::object& fetched, const std::string& url) {
  const nb::gil_scoped_acquire held;
  try {
    const nb::bytes path(fetched.attr("take")(textOf(url)));
    return std::string(path.c_str(), path.size());
  } catch (const nb::python_error& error) {
    const std::string why(nb::str(error.value()).c_str());
    const ErrorCode code = error.matches(PyExc_FileNotFoundError) ? ErrorCode::NotFound
                           : error.matches(PyExc_ValueError)      ? ErrorCode::InvalidArgument
                                                                  : ErrorCode::Network;
    return fail(code, why);
  }
}

/// What stays on the disk then fails nothing.
void forget(const nb::object& fetched, const std::string& url) {
  const nb::gil_scoped_acquire held;
  try {
    fetched.attr("drop")(textOf(url));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("strata: a model that was fetched");
  }
}

Result<AddListReport> addAll(OpenStore& store, AddListOptions options, const nb::object& fetched,
                             const std::optional<std::string>& remote, const CodingWish& coding,
                             const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(options.plan, chooseCoding(coding, store.config, options.add));
  options.add.device = store.device.get();
  std::optional<NamedRemote> opened;
  if (remote) {
    STRATA_TRY(opened, openRemote(store, *remote));
    options.remote = opened->transport.get();
    options.push = {.parallel = hub::parallelTransfers(store.config),
                    .keptAs = opened->name,
                    .cards = hub::cardsFor(opened->config)};
  }
  const AddListCalls calls{
      .open = [&](const std::string& file) -> Result<std::unique_ptr<ModelSource>> {
        if (!isRemoteUrl(file)) return openFile(file, {}, Links::Confined);
        STRATA_TRY(const std::string path, fetch(fetched, file));
        return openFile(path, {}, Links::Confined);
      },
      .onClosed =
          [&](const std::string& file) {
            if (isRemoteUrl(file)) forget(fetched, file);
          }};
  return addList(*store.store, options, calls, stop, progress);
}

nb::dict addFrom(const PythonStore& self, const std::vector<GivenModel>& given,
                 const std::string& shard, const std::optional<std::string>& remote,
                 const std::optional<std::string>& base, const std::optional<std::string>& profile,
                 const std::optional<std::string>& effort, const std::string& note,
                 const std::vector<std::string>& tags, const nb::object& fetched,
                 const nb::object& progress) {
  const SharedStore store = self.share();
  AddListOptions options{.models = modelsOf(givenModels(given), shardNamed(shard))};
  options.add.note = note;
  options.add.tags = tags;
  CodingWish coding{.profile = profile, .base = base};
  if (effort) coding.effort = effortNamed(*effort);
  return dictOf(runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) {
    return addAll(**store, options, fetched, remote, coding, stop, sink);
  }));
}

}  // namespace

void bindLists(StoreClass& store) {
  store.def("add_from", &addFrom, nb::arg("models"), nb::arg("shard"), nb::arg("remote").none(),
            nb::arg("base").none(), nb::arg("profile").none(), nb::arg("effort").none(),
            nb::arg("note"), nb::arg("tags"), nb::arg("fetched"), nb::arg("progress").none(),
            "Stores the models of a list. Those of URLs `fetched` takes, and drops afterwards.");
}

void bindModelLists(nb::module_& module) {
  module.def("read_model_list", &readList, nb::arg("text"), nb::arg("source"),
             "What a file with a list of models says: (name, file, base) each.");
}

}  // namespace strata::python
