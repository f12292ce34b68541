#pragma once

#include <QString>

#include "core/store/parity/parity_check.h"

namespace strata::gui {

/// What a store may lose, what is protected against that and what it costs: "Parity 2/10: 34
/// objects (120.1 MB) are protected by 26.3 MB of parity". "Parity: off" where there is none.
QString parityText(const ParityState& state);

}  // namespace strata::gui
