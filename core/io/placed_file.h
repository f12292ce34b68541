#pragma once

#include <filesystem>

#include "core/result.h"

namespace strata {

/// Makes the name of a file that just took the place of another survive a crash. What was there is
/// gone, so the error says that the file is in place.
Result<void> syncPlaced(const std::filesystem::path& file);

}  // namespace strata
