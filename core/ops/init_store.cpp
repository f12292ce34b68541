#include "core/ops/init_store.h"

#include "core/store/store.h"

namespace strata {

Result<InitReport> initStore(const InitOptions& options) {
  if (Store::isStore(options.folder)) {
    STRATA_TRY(const auto store, Store::open(options.folder));
    return InitReport{store->folder(), false};
  }
  STRATA_TRY(const auto store, Store::create(options.folder));
  return InitReport{store->folder(), true};
}

}  // namespace strata
