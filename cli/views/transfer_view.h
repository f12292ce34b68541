#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/transfer/transfer_log.h"

namespace strata::cli {

/// What a push came to, in all modes; `remote` is its name or URL.
ExitCode printPushed(Output& output, const PushReport& report, const std::string& remote,
                     bool dryRun);

/// What a pull came to.
ExitCode printPulled(Output& output, const PullReport& report, const std::string& remote,
                     bool dryRun);

/// "push to hub", "pull from hf://acme/models".
std::string whereText(const TransferRequest& request);
/// "sst2:v1, ner*", "all versions".
std::string whatText(const TransferRequest& request);

}  // namespace strata::cli
