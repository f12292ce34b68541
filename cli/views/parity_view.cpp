#include "cli/views/parity_view.h"

#include <fmt/format.h>

#include "core/text/wording.h"

namespace strata::cli {
namespace {

std::string ratioText(const ParityState& state) {
  return state.ratio ? fmt::format("{}/{}", state.ratio->shards, state.ratio->columns) : "off";
}

}  // namespace

Json parityJson(const ParityState& state) {
  if (!state.ratio && state.groups.empty()) return nullptr;
  return {{"setting", ratioText(state)},
          {"groups", state.groups.size()},
          {"protected_objects", state.protectedObjects},
          {"protected_bytes", state.protectedBytes},
          {"unprotected_objects", state.unprotectedObjects},
          {"absent_objects", state.absentMembers.size()},
          {"parity_bytes", state.parityBytes}};
}

std::string parityText(const ParityState& state) {
  if (!state.ratio && state.groups.empty()) return {};
  return fmt::format("{}, {} ({}) by {} of parity", ratioText(state),
                     wordCount(state.protectedObjects, "object"), wordBytes(state.protectedBytes),
                     wordBytes(state.parityBytes));
}

void noteUnprotected(Output& output, const ParityState& state) {
  if (state.unprotectedObjects > 0) {
    output.advice(fmt::format("Not protected by parity: {}; strata gc --yes protects what is sound",
                              wordCount(state.unprotectedObjects, "object")));
  }
  if (const std::size_t absent = state.absentMembers.size(); absent > 0) {
    output.advice(
        fmt::format("Parity protects less, as {} that it was computed of {} not here; strata "
                    "verify finds what is lost, strata gc --yes forgets what was deleted",
                    wordCount(absent, "object"), absent == 1 ? "is" : "are"));
  }
  if (state.isRatioFromGroups) {
    output.advice(fmt::format(
        "The store's settings do not name its parity, which goes on as {0}; strata config set "
        "parity {0} --in-store writes that there, strata config set parity off --in-store ends it",
        ratioText(state)));
  }
}

}  // namespace strata::cli
