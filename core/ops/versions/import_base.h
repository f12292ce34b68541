#pragma once

#include "core/ops/versions/add_version.h"
#include "core/transfer/base_elsewhere.h"

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

/// Stores a model in full, under a name that no version has: addVersion() without a parent. A name
/// that has this content in full already keeps it. Content that is here as a difference is stored
/// in full besides; that difference stays. Fails as addVersion(), with InvalidArgument for a name
/// in use.
Result<AddReport> importBase(Store& store, const ModelSource& model, const ImportOptions& options,
                             std::stop_token stop, const ProgressSink& progress);

/// Stores a base that a remote does not hold, from the model that was fetched for it: under its
/// name there, with the next number. `options` say all but the name. Fails as addVersion(), with
/// CorruptData where the model has another content; nothing of it is stored then.
Result<AddReport> importElsewhere(Store& store, const ModelSource& model, const BaseElsewhere& base,
                                  const ImportOptions& options, std::stop_token stop,
                                  const ProgressSink& progress);

}  // namespace strata
