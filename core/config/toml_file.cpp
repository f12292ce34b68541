#include "core/config/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "core/io/os_error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostFileBytes = 1'000'000;
/// Each dot of a key nests a table in another, and tables are read and freed by recursion.
constexpr std::ptrdiff_t kMostDotsOfALine = 256;

Result<void> checkDepth(std::string_view text, const fs::path& file) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (std::ranges::count(line, '.') > kMostDotsOfALine) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: line {}: has more than {} dots",
                                                          file.string(), number, kMostDotsOfALine));
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

}  // namespace

Result<std::string> readTomlText(const fs::path& file) {
  std::error_code status;
  if (file.empty() || !fs::exists(file, status)) return std::string{};
  const std::uintmax_t byteCount = fs::file_size(file, status);
  if (status) return fail(osError(file, "read", status.value()));
  if (byteCount > kMostFileBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {} bytes, a settings file has at most {}", file.string(),
                            byteCount, kMostFileBytes));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(byteCount), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream) return fail(osError(file, "read", errno == 0 ? EIO : errno));
  return text;
}

Result<toml::table> parseToml(std::string_view text, const fs::path& file) {
  STRATA_TRY(checkDepth(text, file));
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    constexpr std::string_view kPreamble = "Error while parsing ";
    std::string_view what = error.description();
    if (what.starts_with(kPreamble)) what.remove_prefix(kPreamble.size());
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: line {}: {}", file.string(), error.source().begin.line, what));
  }
}

}  // namespace strata
