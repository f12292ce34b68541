#pragma once

#include "core/ops/add_version.h"

namespace strata {

struct ImportOptions {
  std::string name = {};
  Effort effort = Effort::Default;
  bool raw = false;  ///< keep the bytes as they are: `import --raw`
  std::string note = {};
  std::vector<std::string> tags = {};
  std::string sourceUrl = {};
  std::string license = {};
  bool dryRun = false;
  std::uint64_t memoryBytes = 512'000'000;
};

/// Stores a model in full: addVersion() without a parent. Fails as that does.
Result<AddReport> importBase(Store& store, const ModelSource& model, const ImportOptions& options,
                             std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
