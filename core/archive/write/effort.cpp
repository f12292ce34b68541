#include "core/archive/write/effort.h"

namespace strata {

std::string_view name(Effort effort) noexcept {
  switch (effort) {
    case Effort::Fast:
      return "fast";
    case Effort::Default:
      return "default";
    case Effort::Best:
      return "best";
  }
  return "default";
}

std::optional<Effort> effortFromName(std::string_view text) noexcept {
  for (const Effort effort : {Effort::Fast, Effort::Default, Effort::Best}) {
    if (text == name(effort)) return effort;
  }
  return std::nullopt;
}

}  // namespace strata
