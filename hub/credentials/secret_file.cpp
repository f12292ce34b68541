#include "hub/credentials/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/io/core_dumps.h"
#include "core/io/durable_folder.h"
#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/placed_file.h"
#include "core/io/temp_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr off_t kMostSecretBytes = 1 << 20;

constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;

/// Looks at the file that is open, not at its name: that may mean another one by now.
Result<void> checkPrivate(int descriptor, const fs::path& file) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return fail(osError(file, "read", errno));
  if (!S_ISREG(info.st_mode) || info.st_size > kMostSecretBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: expected a file of at most 1 MiB", file.string()));
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: others can read it (mode {:04o}, expected 0600); run: chmod 600 {}",
                    file.string(), info.st_mode & 07777U, file.string()));
  }
  return {};
}

/// A new file that nobody else can open at any time.
Result<void> writePrivate(const fs::path& file, std::string_view content) {
  const OpenFile open(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  if (open.descriptor < 0) return fail(osError(file, "make", errno));
  STRATA_TRY(writeAll(open.descriptor, std::as_bytes(std::span(content)), file));
  if (::fsync(open.descriptor) != 0) return fail(osError(file, "write", errno));
  return {};
}

}  // namespace

Result<std::string> readSecretFile(const fs::path& file) {
  const OpenFile open(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (open.descriptor < 0) return fail(osError(file, "read", errno));
  STRATA_TRY(checkPrivate(open.descriptor, file));
  forbidCoreDumps();
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(open.descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(osError(file, "read", errno));
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

Result<std::string> readTokenFile(const fs::path& file) {
  STRATA_TRY(const std::string content, readSecretFile(file));
  return cleanToken(content, file.string());
}

Result<void> makeSecretFolder(const fs::path& folder) {
  std::error_code status;
  const bool isThere = fs::exists(folder, status);
  STRATA_TRY(makeDurableFolder(folder));
  if (!isThere) fs::permissions(folder, fs::perms::owner_all, status);
  return {};
}

Result<void> writeSecretFile(const fs::path& file, std::string_view content) {
  const fs::path folder = file.parent_path();
  STRATA_TRY(makeSecretFolder(folder));
  const fs::path temporary = folder / ("secret-" + randomName() + ".tmp");
  const Result<void> written = writePrivate(temporary, content);
  if (written && ::rename(temporary.c_str(), file.c_str()) == 0) return syncPlaced(file);
  const Error reason = written ? osError(file, "write", errno) : written.error();
  ::unlink(temporary.c_str());
  return fail(reason);
}

Result<std::string> cleanToken(std::string_view text, std::string_view source) {
  const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  if (text.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: there is no token", source));
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: expected one token, found blanks in it", source));
    }
  }
  return std::string(text);
}

}  // namespace strata::hub
