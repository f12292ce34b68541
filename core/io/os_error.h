#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace strata {

/// What a failed call of the operating system means, `reason` being its errno: NoSpace for a full
/// disk or quota, NotFound for a missing file, else Io. The text is `path: cannot ACTION: REASON`.
Error osError(const std::filesystem::path& path, std::string_view action, int reason);

}  // namespace strata
