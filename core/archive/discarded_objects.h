#pragma once

#include "core/archive/objects.h"

namespace strata {

/// Takes objects, hashes and counts them, and keeps nothing: for a dry run.
class DiscardedObjects final : public ObjectWriter {
 public:
  Result<std::unique_ptr<NewObject>> createObject() override;
};

}  // namespace strata
