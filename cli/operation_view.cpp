#include "cli/operation_view.h"

#include <fmt/format.h>

#include "core/ops/operation_history.h"
#include "core/text/wording.h"

namespace strata::cli {

Json toJson(const Operation& operation) {
  return {{"id", operation.id},
          {"time", isoDate(operation.at)},
          {"kind", operation.kind},
          {"detail", operation.detail},
          {"changes", stepTexts(operation)},
          {"undoable", isUndoable(operation) && !operation.isUndone},
          {"undone", operation.isUndone}};
}

std::string operationText(const Operation& operation) {
  return printable(
      fmt::format("{} {}  ({})", operation.kind, operation.detail, wordDate(operation.at)));
}

}  // namespace strata::cli
