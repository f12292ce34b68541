#include "python/bindings/opened_binding.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <vector>

#include "core/model/file_kind_name.h"
#include "core/ops/inspect/version_log.h"
#include "python/bindings/fetching.h"
#include "python/bindings/model_binding.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"

namespace strata::python {
namespace {

/// A tensor and the array that it is to fill: name, type, shape, array.
using GivenTarget = std::tuple<std::string, std::string, std::vector<std::uint64_t>, nb::object>;

nb::dict versionOf(const OpenedReader& reader) {
  const VersionEntry& version = reader.version().version();
  return dictOf(runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return listedVersion(reader.store(), version);
  }));
}

nb::str labelOf(const OpenedReader& reader) {
  return nb::str(textOf(reader.version().version().label()));
}

nb::list filesOf(const OpenedReader& reader) {
  return listOf(reader.version().files(), [](const OpenedFile& file) {
    return nb::make_tuple(textOf(file.path), textOf(name(file.kind)), file.byteCount);
  });
}

/// Without pieces of files that are no models.
nb::list tensorsOf(const OpenedReader& reader) {
  nb::list list;
  for (const OpenedTensor& tensor : reader.version().tensors()) {
    if (tensor.isFilePiece) continue;
    const nb::tuple shape(listOf(tensor.shape, [](std::uint64_t n) { return nb::int_(n); }));
    list.append(nb::make_tuple(textOf(tensor.name), textOf(name(tensor.type)), shape, tensor.file,
                               tensor.offset, tensor.byteCount));
  }
  return list;
}

void restore(const OpenedReader& reader, const std::vector<GivenTarget>& given,
             const nb::object& progress) {
  std::vector<nb::ndarray<>> held;
  std::vector<TensorTarget> targets;
  for (const auto& [name, type, shape, object] : given) {
    const nb::ndarray<>& view = held.emplace_back();
    if (!nb::try_cast(object, held.back())) {
      PyErr_Clear();
      throwArrayError(name, "cannot be written to", "pass an array that is writable");
    }
    checkPlain(name, view);
    targets.push_back({.name = name,
                       .type = typeNamed(name, type),
                       .shape = shape,
                       .out = {static_cast<std::byte*>(view.data()), view.nbytes()}});
  }
  const OpenedVersion& version = reader.version();
  runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) {
    return version.restore(targets, reader.device(), stop, sink);
  });
}

nb::object read(const OpenedReader& reader, std::size_t file, std::uint64_t offset,
                std::uint64_t length) {
  const OpenedVersion& version = reader.version();
  const bool isInFile = file < version.files().size() && length <= version.files()[file].byteCount;
  // Memory is taken for what the file has alone; the version says what is wrong with the rest.
  const std::uint64_t size = isInFile ? length : 0;
  const nb::object bytes =
      nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes.is_valid()) throw nb::python_error();
  if (!isInFile) {
    throwError({ErrorCode::InvalidArgument,
                fmt::format("{}: {} bytes of file {} were asked for, which has not so many",
                            version.version().label(), length, file)});
  }
  const std::span out(reinterpret_cast<std::byte*>(PyBytes_AsString(bytes.ptr())), size);
  runOp(nb::none(), [&](const std::stop_token& stop, const ProgressSink&) {
    return version.read(file, offset, out, stop);
  });
  return bytes;
}

}  // namespace

void throwForked() {
  const nb::object error = nb::module_::import_("strata._errors").attr("forked")();
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

OpenedReader::OpenedReader(SharedStore store, const std::string& reference)
    : store_(std::move(store)) {
  auto opened = runOp(nb::none(),
                      [&](const std::stop_token& stop,
                          const ProgressSink& sink) -> Result<std::unique_ptr<OpenedVersion>> {
                        STRATA_TRY(fetchAwaited(**store_, reference, stop, sink));
                        return OpenedVersion::open(*(*store_)->store, reference);
                      });
  version_ = std::make_unique<OwnedByProcess<OpenedVersion>>(std::move(opened));
}

const OpenedVersion& OpenedReader::version() const {
  if (!version_->isOwner()) throwForked();
  return **version_;
}

Device* OpenedReader::device() const { return (*store_)->device.get(); }

const Store& OpenedReader::store() const { return *(*store_)->store; }

void bindOpened(nb::module_& module) {
  nb::class_<OpenedReader>(module, "Opened", "A stored version that is open for reading.")
      .def_prop_ro("version", &versionOf, "As Store.listed gives it: reads the whole catalog.")
      .def_prop_ro("label", &labelOf, "NAME:vN.")
      .def_prop_ro("files", &filesOf, "(path, kind, bytes) of each file.")
      .def_prop_ro("tensors", &tensorsOf,
                   "(name, type, shape, file, offset, bytes) of each tensor.")
      .def("restore", &restore, nb::arg("targets"), nb::arg("progress").none(),
           "Decodes tensors into arrays: (name, type, shape, array) each.")
      .def("read", &read, nb::arg("file"), nb::arg("offset"), nb::arg("length"),
           nb::sig("def read(self, file: int, offset: int, length: int) -> bytes"),
           "The bytes of a range of a file.");
}

}  // namespace strata::python
