#include "core/model/model_path.h"

namespace strata {

bool isModelPath(std::string_view path) noexcept {
  if (path.size() > kMaxModelPathBytes || path.find('\0') != path.npos) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace strata
