#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/result.h"
#include "onnx_io/model_reader.h"

namespace strata::python {

namespace nb = nanobind;

/// A model on its way in, with the arrays of Python that it reads.
struct InputModel {
  std::unique_ptr<ModelSource> source;
  std::vector<nb::ndarray<nb::ro>> held;
};

/// Opens a model's file or folder. Fails as openModel, and with Unsupported for one that is cut.
Result<std::unique_ptr<ModelSource>> openFile(const std::filesystem::path& file,
                                              const std::vector<std::string>& exclude, Links links);

/// The type that Strata calls `name` ("bf16"). Throws strata.ArrayError for one that is none.
ElementType typeNamed(const std::string& array, const std::string& name);

/// The bytes of an array in main memory, row by row. Throws strata.ArrayError if it lies elsewhere
/// or has gaps.
template <typename Array>
void checkPlain(const std::string& name, const Array& array);

void bindModels(nb::module_& module);

}  // namespace strata::python
