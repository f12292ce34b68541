#include "core/ops/resolve_reference.h"

namespace strata {

Result<VersionEntry> resolveReference(const Store& store, std::string_view reference) {
  return store.resolve(reference);
}

}  // namespace strata
