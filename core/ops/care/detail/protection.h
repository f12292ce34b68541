#pragma once

#include <stop_token>

#include "core/ops/care/verify_store.h"

namespace strata {

/// Adds to a report what the parity of the store protects, which of its files are damaged, and
/// which of the damaged objects it brings back: VerifyReport::parity. Nothing where only some
/// versions are checked. What keeps it from being read is damage, too. `isUnfinished`: a writer is
/// at work or has died. Fails with FormatTooNew, Cancelled.
Result<void> checkProtection(const Store& store, const VerifyOptions& options, bool isUnfinished,
                             const std::stop_token& stop, VerifyReport& report);

}  // namespace strata
