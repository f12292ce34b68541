#include "core/model/model_path.h"

#include <algorithm>

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

std::string_view fileAsFolder(std::span<const std::string_view> paths) noexcept {
  for (const std::string_view path : paths) {
    for (std::size_t slash = path.find('/'); slash != path.npos;
         slash = path.find('/', slash + 1)) {
      const std::string_view folder = path.substr(0, slash);
      if (std::binary_search(paths.begin(), paths.end(), folder)) return folder;
    }
  }
  return {};
}

}  // namespace strata
