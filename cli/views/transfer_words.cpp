#include "cli/views/transfer_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"
#include "core/text/error_number.h"

namespace strata::cli {

Json failuresJson(const std::vector<FailedTransfer>& failed) {
  Json list = Json::array();
  for (const FailedTransfer& one : failed) {
    list.push_back({{"ref", one.label},
                    {"code", errorNumber(one.error.code)},
                    {"message", one.error.message}});
  }
  return list;
}

void printFailures(Output& output, const std::vector<FailedTransfer>& failed) {
  for (const FailedTransfer& one : failed) {
    output.warning(printable(one.error.message.starts_with(one.label)
                                 ? one.error.message
                                 : one.label + ": " + one.error.message));
  }
}

void printNotes(Output& output, const std::vector<std::string>& labels, const std::string& remote) {
  for (const std::string& label : labels) {
    output.warning(printable(fmt::format(
        "{0} has another note on {1}, and each keeps its own; \"strata note {0}\" with the text "
        "of one side, on the other side, makes them agree",
        label, remote)));
  }
}

void printModes(Output& output, const std::vector<std::string>& labels, const std::string& remote) {
  for (const std::string& label : labels) {
    output.note(
        printable(fmt::format("{} may have other permissions on {}, and each side keeps its own; "
                              "under another name yours go, "
                              "too",
                              label, remote)));
  }
}

ExitCode transferExit(const std::vector<FailedTransfer>& failed, bool anyIsWell, bool leavesSome) {
  if (failed.empty()) return leavesSome ? ExitCode::Partly : ExitCode::Done;
  const bool isDone = std::all_of(failed.begin(), failed.end(),
                                  [](const FailedTransfer& one) { return one.isMemory; });
  return anyIsWell || isDone ? ExitCode::Partly : exitCode(failed.front().error.code);
}

}  // namespace strata::cli
