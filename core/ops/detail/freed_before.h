#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "core/result.h"
#include "core/text/wording.h"

namespace strata {

/// The error of a deletion that had freed so many objects when it failed: these are gone.
inline Error afterFreeing(Error error, std::size_t count) {
  if (count == 0) return error;
  error.message +=
      fmt::format("; {} {} freed before", wordCount(count, "object"), count == 1 ? "was" : "were");
  return error;
}

}  // namespace strata
