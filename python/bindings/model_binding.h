#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/model_source.h"

namespace strata::python {

namespace nb = nanobind;

/// A model on its way in, with the arrays of Python that it reads.
struct InputModel {
  std::unique_ptr<ModelSource> source;
  std::vector<nb::ndarray<nb::ro>> held;
};

/// The type that Strata calls `name` ("bf16"). Throws strata.ArrayError for one that is none.
ElementType typeNamed(const std::string& array, const std::string& name);

/// The bytes of an array in main memory, row by row. Throws strata.ArrayError if it lies elsewhere
/// or has gaps.
template <typename Array>
void checkPlain(const std::string& name, const Array& array);

void bindModels(nb::module_& module);

}  // namespace strata::python
