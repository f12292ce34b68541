#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "core/ops/versions/remove_versions.h"

namespace strata::cli {

/// How a removal was asked for.
struct RemovalMode {
  bool now = false;
  bool dryRun = false;
};

/// "sst2:v1, sst2:v2", with `between` between them.
std::string labelsText(const std::vector<VersionEntry>& versions, std::string_view between);

/// The fields of a document that say what was removed.
Json removalJson(const RemoveReport& report, const RemovalMode& mode);

/// What removing versions frees, what stays because others need it, and what brings them back.
void printRemovalBytes(Output& output, const RemoveReport& report, const RemovalMode& mode);

/// All that `remove` has to say.
void printRemoval(Output& output, const RemoveReport& report, const RemovalMode& mode);

}  // namespace strata::cli
