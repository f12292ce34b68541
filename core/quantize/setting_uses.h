#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/quantize/quantize_settings.h"

namespace strata {

/// Whether `setting`, one of "step", "levels", "rank", "prune", "protect", "spacing", "entropy",
/// "sensitivity", "gradients", has an effect on any matrix under `settings`. Nothing where it has;
/// else why not: "has no effect on codec patterns: it is used by index, levels with --levels".
/// `areLevelsSearched`: a search chooses how many levels there are.
std::optional<std::string> idleReason(std::string_view setting, const QuantizeSettings& settings,
                                      bool areLevelsSearched);

/// What a codec cannot do without, and `settings` do not say: "codec index needs --levels". Empty
/// where nothing is missing.
std::string missingSetting(const QuantizeSettings& settings);

}  // namespace strata
