#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"

namespace strata::cli {

Json failuresJson(const std::vector<FailedTransfer>& failed);
void printFailures(Output& output, const std::vector<FailedTransfer>& failed);

/// Said of a version that was removed, and goes along for those that are differences to it.
inline constexpr std::string_view kNameless =
    "  (without its name: other versions are differences to it)";

/// Of a push or pull.
template <typename Tag>
Json tagsJson(const std::vector<Tag>& tags) {
  Json list = Json::array();
  for (const Tag& one : tags) {
    list.push_back({{"tag", one.tag},
                    {"version", one.to},
                    {"moved_from", one.from.empty() ? Json(nullptr) : Json(one.from)}});
  }
  return list;
}

/// Of versions that have another note on each side, edited on both since they last agreed.
void printNotes(Output& output, const std::vector<std::string>& labels, const std::string& remote);

/// Of versions that two stores added, perhaps with other permission bits.
void printModes(Output& output, const std::vector<std::string>& labels, const std::string& remote);

/// 3 if some failed or was left as it was; the cause's own code if nothing went well.
ExitCode transferExit(const std::vector<FailedTransfer>& failed, bool anyIsWell, bool leavesSome);

}  // namespace strata::cli
