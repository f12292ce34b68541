#include "hub/folder/ref_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/transfer/ref_index.h"
#include "hub/append_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

class TextSink final : public ObjectSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  Result<void> restart() override {
    text.clear();
    return {};
  }
  std::string text;
};

/// As on memory sticks.
bool saysNoLinks(int reason) noexcept {
  return reason == EPERM || reason == ENOTSUP || reason == ENOSYS;
}

/// What no writer leaves there is damage: a repair goes on without it.
Result<void> checkIsFile(const fs::path& file) {
  std::error_code status;
  const fs::file_type type = fs::status(file, status).type();
  if (type == fs::file_type::regular || type == fs::file_type::none) return {};
  const bool isLink = fs::symlink_status(file, status).type() == fs::file_type::symlink;
  if (type == fs::file_type::not_found && !isLink) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: {}, expected a file", file.string(),
                          type == fs::file_type::not_found   ? "is a link to nothing"
                          : type == fs::file_type::directory ? "is a folder"
                                                             : "is no file"));
}

}  // namespace

Result<std::optional<std::uint64_t>> fileBytes(const fs::path& place) {
  struct stat info {};
  if (::stat(place.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(info.st_size);
  }
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return std::nullopt;
  return fail(osError(place, "look at", errno));
}

Result<void> makeRoom(const fs::path& file) {
  const auto moveAway = [](const fs::path& place, bool wantsFolder) -> Result<void> {
    struct stat own {};
    struct stat end {};
    if (::lstat(place.c_str(), &own) != 0) return {};
    const bool leadsOn = ::stat(place.c_str(), &end) == 0;
    // A link to a folder serves as one. A file takes the place of a link, but of none to a device.
    const bool isTaken = leadsOn && !S_ISREG(end.st_mode) && !S_ISDIR(end.st_mode);
    const bool fits = wantsFolder ? leadsOn && S_ISDIR(end.st_mode)
                                  : S_ISREG(own.st_mode) || (S_ISLNK(own.st_mode) && !isTaken);
    if (fits) return {};
    const fs::path aside = place.string() + ".damaged-" + randomName();
    if (::rename(place.c_str(), aside.c_str()) == 0) return syncFolder(place.parent_path());
    return errno == ENOENT ? Result<void>() : fail(osError(place, "move", errno));
  };
  STRATA_TRY(moveAway(file.parent_path(), true));
  return moveAway(file, false);
}

Result<std::string> readRefFile(const fs::path& file) {
  STRATA_TRY(checkIsFile(file));
  std::error_code status;
  const std::uintmax_t byteCount = fs::file_size(file, status);
  if (status) return fail(osError(file, "look at", status.value()));
  if (byteCount > kMaxIndexBytes) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: has {} bytes, at most {} are allowed",
                                                    file.string(), byteCount, kMaxIndexBytes));
  }
  TextSink sink;
  sink.text.reserve(byteCount);
  STRATA_TRY(appendFile(file, 0, byteCount, sink, {}, {}));
  return std::move(sink.text);
}

Result<bool> claimRefFile(const fs::path& temporaryFolder, const fs::path& place,
                          std::string_view text) {
  STRATA_TRY(TempFile file, TempFile::createForStore(temporaryFolder, "refs"));
  STRATA_TRY(file.append(std::as_bytes(std::span(text))));
  STRATA_TRY(file.sync());
  if (::link(file.path().c_str(), place.c_str()) == 0) {
    STRATA_TRY(syncFolder(place.parent_path()));
    return true;
  }
  if (errno == EEXIST) return false;
  if (!saysNoLinks(errno)) return fail(osError(place, "create", errno));
  const Result<void> moved = file.moveToNew(place);
  if (!moved && moved.error().code == ErrorCode::InvalidArgument) return false;
  if (!moved) return fail(moved.error());
  // Where a rename may replace, another pusher may have taken the name a moment later.
  const auto kept = readRefFile(place);
  if (!kept && kept.error().code != ErrorCode::NotFound) return fail(kept.error());
  return kept && *kept == text;
}

bool claimsAreAtomic(const fs::path& temporaryFolder) {
  const auto file = TempFile::createForStore(temporaryFolder, "probe");
  if (!file) return true;
  const char* const from = file->path().c_str();
  const fs::path to = temporaryFolder / ("probe-" + randomName() + ".tmp");
  bool isAtomic = ::link(from, to.c_str()) == 0 || !saysNoLinks(errno);
  if (!isAtomic) {
    isAtomic = ::renameat2(AT_FDCWD, from, AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
  }
  ::unlink(to.c_str());
  return isAtomic;
}

}  // namespace strata::hub
