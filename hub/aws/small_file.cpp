#include "hub/aws/small_file.h"

#include <fstream>

namespace strata::hub {

std::optional<std::string> smallFile(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 10U;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kMostBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

}  // namespace strata::hub
