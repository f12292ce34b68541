#include "python/bindings/model_binding.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <tuple>

#include "onnx_io/array_model.h"
#include "onnx_io/model_reader.h"
#include "python/bindings/op_run.h"

namespace strata::python {
namespace {

constexpr std::uint32_t kMostTypes = 64;

/// The type of an array that says it itself, as DLPack does.
std::optional<ElementType> typeOf(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return std::nullopt;
  const auto isOf = [&](Code code, unsigned bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
  };
  struct Row {
    Code code;
    unsigned bits;
    ElementType type;
  };
  static constexpr Row kRows[] = {
      {Code::Float, 16, ElementType::F16},     {Code::Float, 32, ElementType::F32},
      {Code::Float, 64, ElementType::F64},     {Code::Bfloat, 16, ElementType::BF16},
      {Code::Int, 8, ElementType::I8},         {Code::Int, 16, ElementType::I16},
      {Code::Int, 32, ElementType::I32},       {Code::Int, 64, ElementType::I64},
      {Code::UInt, 8, ElementType::U8},        {Code::UInt, 16, ElementType::U16},
      {Code::UInt, 32, ElementType::U32},      {Code::UInt, 64, ElementType::U64},
      {Code::Bool, 8, ElementType::Bool},      {Code::Complex, 64, ElementType::C64},
      {Code::Complex, 128, ElementType::C128},
  };
  for (const Row& row : kRows) {
    if (isOf(row.code, row.bits)) return row.type;
  }
  return std::nullopt;
}

/// An array of Python: its name, type and shape if the array itself has others, and the array.
using GivenArray = std::tuple<std::string, std::optional<std::string>,
                              std::optional<std::vector<std::uint64_t>>, nb::object>;

nb::ndarray<nb::ro> viewOf(const std::string& name, const nb::object& object) {
  nb::ndarray<nb::ro> view;
  if (!nb::try_cast(object, view)) {
    PyErr_Clear();
    const nb::str kind(object.type().attr("__name__"));
    throwArrayError(name, fmt::format("is a {}, and no array", kind.c_str()),
                    "pass an array of numpy, torch or jax, such as numpy.asarray(value)");
  }
  checkPlain(name, view);
  return view;
}

std::unique_ptr<InputModel> modelOf(const std::vector<GivenArray>& given,
                                    const std::string& fileName,
                                    std::vector<std::pair<std::string, std::string>> metadata,
                                    const nb::object& progress) {
  auto model = std::make_unique<InputModel>();
  std::vector<ModelArray> arrays;
  for (const auto& [name, type, shape, object] : given) {
    const nb::ndarray<nb::ro>& view = model->held.emplace_back(viewOf(name, object));
    ModelArray array{.name = name};
    const std::optional<ElementType> own = typeOf(view.dtype());
    if (!type && !own) {
      throwArrayError(name, "has elements of a type that Strata does not know",
                      "convert it to a type of numbers, such as float32");
    }
    array.type = type ? typeNamed(name, *type) : *own;
    if (shape) array.shape = *shape;
    for (std::size_t i = 0; !shape && i < view.ndim(); ++i) array.shape.push_back(view.shape(i));
    array.bytes = {static_cast<const std::byte*>(view.data()), view.nbytes()};
    arrays.push_back(std::move(array));
  }
  ArrayModelOptions options{.fileName = fileName, .metadata = std::move(metadata)};
  model->source = runOp(progress, [&](const std::stop_token&, const ProgressSink&) {
    return modelOfArrays(arrays, options);
  });
  return model;
}

std::unique_ptr<InputModel> openedModel(const nb::bytes& path,
                                        const std::vector<std::string>& exclude, bool followLinks) {
  auto model = std::make_unique<InputModel>();
  const std::filesystem::path file(std::string(path.c_str(), path.size()));
  model->source = runOp(nb::none(), [&](const std::stop_token&, const ProgressSink&) {
    return openFile(file, exclude, followLinks ? Links::Followed : Links::Confined);
  });
  return model;
}

}  // namespace

Result<std::unique_ptr<ModelSource>> openFile(const std::filesystem::path& file,
                                              const std::vector<std::string>& exclude,
                                              Links links) {
  auto opened = openModel(file, links, exclude);
  // A user's file that is cut is no damage of the store.
  if (!opened && opened.error().code == ErrorCode::CorruptData) {
    return fail(ErrorCode::Unsupported, opened.error().message);
  }
  return opened;
}

template <typename Array>
void checkPlain(const std::string& name, const Array& array) {
  const int device = array.device_type();
  if (device != nb::device::cpu::value && device != nb::device::cuda_host::value) {
    throwArrayError(name, fmt::format("is on a device (DLPack type {})", device),
                    "copy it to main memory first, such as tensor.cpu() or jax.device_get(array)");
  }
  std::int64_t expected = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) == 0) return;
    if (array.shape(i) != 1 && array.stride(i) != expected) {
      throwArrayError(name, "is not contiguous",
                      "pass numpy.ascontiguousarray(array) or tensor.contiguous()");
    }
    expected *= static_cast<std::int64_t>(array.shape(i));
  }
}

template void checkPlain(const std::string&, const nb::ndarray<nb::ro>&);
template void checkPlain(const std::string&, const nb::ndarray<>&);

ElementType typeNamed(const std::string& array, const std::string& wanted) {
  for (std::uint32_t stored = 0; stored < kMostTypes; ++stored) {
    const auto type = elementTypeFromStored(stored);
    if (type && name(*type) == wanted) return *type;
  }
  throwArrayError(array, fmt::format("has elements of type {}, which Strata does not know", wanted),
                  "convert it to a type of numbers, such as float32");
}

void bindModels(nb::module_& module) {
  nb::class_<InputModel>(module, "Model", "A model on its way into a store.");
  module.def("model_of_arrays", &modelOf, nb::arg("arrays"), nb::arg("file_name"),
             nb::arg("metadata"), nb::arg("progress").none(),
             "The model that arrays make: (name, type, shape, array) each.");
  module.def("open_model", &openedModel, nb::arg("path"), nb::arg("exclude"),
             nb::arg("follow_links"), "Opens a model's file or folder.");
}

}  // namespace strata::python
