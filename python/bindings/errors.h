#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace strata::python {

namespace nb = nanobind;

/// A text of ours or of a file for Python, also where it is no UTF-8.
nb::object textOf(std::string_view text);

/// The exit code that the programs have for each kind of failure, by its name.
nb::dict exitCodes();

/// Throws the exception of `strata._errors` that belongs to a failure. With the GIL only.
[[noreturn]] void throwError(const Error& error);

/// Throws strata.ArrayError about an array that cannot be taken, with what to do about it.
[[noreturn]] void throwArrayError(const std::string& name, const std::string& what,
                                  const std::string& fix);

template <typename T>
T valueOrThrow(Result<T> result) {
  if (!result) throwError(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace strata::python
