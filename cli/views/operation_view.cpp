#include "cli/views/operation_view.h"

#include <fmt/format.h>

#include "core/text/wording.h"

namespace strata::cli {

Json toJson(const Operation& operation, bool canUndo) {
  return {
      {"id", operation.id},          {"time", isoDate(operation.at)},   {"kind", operation.kind},
      {"detail", operation.detail},  {"changes", stepTexts(operation)}, {"undoable", canUndo},
      {"undone", operation.isUndone}};
}

std::string operationText(const Operation& operation) {
  return printable(
      fmt::format("{} {}  ({})", operation.kind, operation.detail, wordDate(operation.at)));
}

}  // namespace strata::cli
