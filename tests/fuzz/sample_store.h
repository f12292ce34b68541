#pragma once

#include <filesystem>
#include <memory>

#include "core/store/store.h"

namespace strata::test {

/// Makes a store with base:v1, sst2:v1 and v2 (tag prod) and, in the trash, ner:v1. Ends the
/// program if that fails.
std::unique_ptr<Store> makeSampleStore(const std::filesystem::path& folder);

}  // namespace strata::test
