#pragma once

#include <filesystem>

#include "core/result.h"

namespace strata {

struct InitOptions {
  std::filesystem::path folder = {};
};

struct InitReport {
  std::filesystem::path folder;  ///< absolute
  bool created = false;          ///< false: it was a store already, and is unchanged
};

/// Makes an empty store. Fails with InvalidArgument if the folder holds other things, FormatTooNew,
/// NoSpace, Io.
Result<InitReport> initStore(const InitOptions& options);

}  // namespace strata
