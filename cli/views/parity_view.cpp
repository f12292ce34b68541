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
          {"absent_objects", state.absentMembers},
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
  if (state.absentMembers > 0) {
    output.advice(fmt::format(
        "Parity protects less, as {} that it was computed of {} not here; strata "
        "verify finds what is lost, strata gc --yes forgets what was deleted",
        wordCount(state.absentMembers, "object"), state.absentMembers == 1 ? "is" : "are"));
  }
}

}  // namespace strata::cli
