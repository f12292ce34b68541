#include "core/ops/import_base.h"

namespace strata {

Result<AddReport> importBase(Store& store, const ModelSource& model, const ImportOptions& options,
                             std::stop_token stop, const ProgressSink& progress) {
  AddOptions add;
  add.name = options.name;
  add.baseChoice = BaseChoice::None;
  add.isNewBase = true;
  add.effort = options.effort;
  add.codec = options.raw ? "raw" : "auto";
  add.note = options.note;
  add.tags = options.tags;
  add.sourceUrl = options.sourceUrl;
  add.license = options.license;
  add.dryRun = options.dryRun;
  add.memoryBytes = options.memoryBytes;
  return addVersion(store, model, add, std::move(stop), progress);
}

}  // namespace strata
