#pragma once

#include "core/config/store_trust.h"
#include "core/store/catalog/transfer_table.h"
#include "core/transfer/transfer_log.h"

namespace strata {

/// Waits for other writers of the catalog: when a transfer begins or ends, and while it runs.
inline constexpr int kEndWaitMs = 5000;
inline constexpr int kNoteWaitMs = 50;

/// What the user says by giving a URL to a transfer of a store.
StoreStatement statementOfTransfers(const std::string& url);

/// What the catalog keeps of a request; equal requests give equal texts.
TransferRow rowOf(const TransferRequest& request);

}  // namespace strata
