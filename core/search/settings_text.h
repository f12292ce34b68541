#pragma once

#include <string>

#include "core/quantize/quantize_settings.h"

namespace strata {

/// All settings in one line: "step x1.32; *: rank 8; attention: step 3". Equal for equal settings
/// and only for those.
std::string settingsText(const QuantizeSettings& settings);

}  // namespace strata
