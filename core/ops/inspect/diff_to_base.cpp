#include <fmt/format.h>

#include <utility>

#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/diff_models.h"

namespace strata {

Result<DiffReport> diffToBase(const Store& store, const std::string& reference,
                              const DiffOptions& options, std::stop_token stop,
                              const ProgressSink& progress) {
  STRATA_TRY(const VersionEntry version, store.resolve(reference));
  if (version.isBase()) {
    return fail(ErrorCode::InvalidArgument,
                version.label() + ": is a base; name a second version to compare it with");
  }
  STRATA_TRY(const Lineage lineage, Lineage::of(store.catalog(), version));
  const VersionEntry& base = lineage.rootOf(version);
  if (base.isUnlisted) {
    return fail(ErrorCode::NotFound,
                version.label() +
                    ": its base was deleted for good; name a second version to "
                    "compare it with");
  }
  if (base.place() == Place::Trash) {
    return fail(ErrorCode::NotFound,
                fmt::format("{0}: the base is in the trash; \"strata trash restore {0}\" brings "
                            "it back",
                            base.label()));
  }
  const DiffSide a{.store = &store, .reference = base.label(), .model = nullptr, .label = {}};
  const DiffSide b{.store = &store, .reference = version.label(), .model = nullptr, .label = {}};
  return diffModels(a, b, options, std::move(stop), progress);
}

}  // namespace strata
