#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/pull_versions.h"
#include "core/ops/push_versions.h"

namespace strata::cli {

/// What a push came to, in all modes; `remote` is its name or URL.
ExitCode printPushed(Output& output, const PushReport& report, const std::string& remote,
                     bool dryRun);

/// What a pull came to.
ExitCode printPulled(Output& output, const PullReport& report, const std::string& remote,
                     bool dryRun);

}  // namespace strata::cli
