#include "core/ops/versions/import_base.h"

namespace strata {
namespace {

AddOptions addOptionsOf(const ImportOptions& options) {
  AddOptions add;
  add.name = options.name;
  add.baseChoice = BaseChoice::None;
  add.effort = options.effort;
  add.codec = options.raw ? "raw" : "auto";
  add.note = options.note;
  add.tags = options.tags;
  add.sourceUrl = options.sourceUrl;
  add.license = options.license;
  add.dryRun = options.dryRun;
  add.memoryBytes = options.memoryBytes;
  return add;
}

}  // namespace

Result<AddReport> importBase(Store& store, const ModelSource& model, const ImportOptions& options,
                             std::stop_token stop, const ProgressSink& progress) {
  AddOptions add = addOptionsOf(options);
  add.isNewBase = true;
  return addVersion(store, model, add, std::move(stop), progress);
}

Result<AddReport> importElsewhere(Store& store, const ModelSource& model, const BaseElsewhere& base,
                                  const ImportOptions& options, std::stop_token stop,
                                  const ProgressSink& progress) {
  AddOptions add = addOptionsOf(options);
  add.name = base.name;
  add.expectedContent = base.contentDigest;
  auto added = addVersion(store, model, add, std::move(stop), progress);
  if (!added) return fail(added.error().within(base.url));
  return added;
}

}  // namespace strata
