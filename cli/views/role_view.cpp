#include "cli/views/role_view.h"

#include <fmt/format.h>

#include "core/text/wording.h"

namespace strata::cli {

std::vector<std::string> roleErrorTexts(std::span<const RoleError> errors) {
  std::vector<std::string> texts;
  for (const RoleError& error : errors) {
    const bool isDropped = error.relativeError == 1;
    std::string text = fmt::format("{}s {}", name(error.kind),
                                   isDropped ? "dropped: they restore to 0"
                                             : wordError(error.relativeError) + " of their size");
    if (error.exact != 0) {
      text += fmt::format("; {} of them kept exactly", wordCount(error.exact, "tensor"));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

Json toJson(std::span<const RoleError> errors) {
  Json rows = Json::array();
  for (const RoleError& error : errors) {
    rows.push_back({{"role", name(error.kind)},
                    {"relative_error", error.relativeError},
                    {"quantized", error.quantized},
                    {"exact", error.exact}});
  }
  return rows;
}

}  // namespace strata::cli
