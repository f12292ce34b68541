#include "core/ops/runs/detail/copied_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/model/content_hash.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "strata copied checkpoint 1\n";
constexpr std::string_view kCheckLine = "check ";
constexpr int kMostDepth = 64;
constexpr std::size_t kMostCopied = 100'000;
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string checkOf(std::string_view lines) {
  return toHex(sha256(std::as_bytes(std::span(lines))));
}

/// Takes one line off the text; nothing where there is no whole one.
std::optional<std::string_view> nextLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// "checkpoint-20/model.bin" as "model.bin"; one file alone keeps its name.
std::string_view withoutFirst(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string nameOfPlace(const fs::path& place) {
  return (place.has_filename() ? place : place.parent_path()).filename().string();
}

/// Reads a file to its end. `to` is -1 where nothing is written.
Result<CopiedFiles::File> hashFile(const fs::path& file, int from, const fs::path& target, int to,
                                   const std::stop_token& stop) {
  std::vector<std::byte> piece(kPiece);
  Sha256 hash;
  CopiedFiles::File done;
  for (;;) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(osError(file, "read", errno));
    if (count == 0) break;
    const std::span<const std::byte> bytes(piece.data(), static_cast<std::size_t>(count));
    hash.update(bytes);
    done.byteCount += bytes.size();
    if (to >= 0) STRATA_TRY(writeAll(to, bytes, target));
  }
  done.sha256 = hash.finish();
  return done;
}

}  // namespace

Result<void> CopiedFiles::add(const fs::path& file, std::string path, const fs::path& to,
                              const std::stop_token& stop) {
  if (path.find('\n') != path.npos) {
    return fail(ErrorCode::Unsupported, fmt::format("{:?}: a name of two lines", path));
  }
  if (files_.size() >= kMostCopied) {
    return fail(ErrorCode::LimitExceeded, fmt::format("has more than {} files", kMostCopied));
  }
  const OpenFile from(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (from.descriptor < 0) return fail(osError(file, "open", errno));
  struct stat status {};
  if (::fstat(from.descriptor, &status) != 0) return fail(osError(file, "look at", errno));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::Unsupported, file.string() + ": is neither file nor folder");
  }
  const mode_t mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  const OpenFile copy(
      to.empty() ? -1
                 : ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!to.empty() && copy.descriptor < 0) return fail(osError(to, "make", errno));
  STRATA_TRY(File done, hashFile(file, from.descriptor, to, copy.descriptor, stop));
  if (!to.empty() && ::fchmod(copy.descriptor, mode) != 0) {
    return fail(osError(to, "set the mode of", errno));
  }
  files_.emplace(std::move(path), done);
  return {};
}

Result<void> CopiedFiles::addAll(const fs::path& from, const fs::path& to,
                                 const std::stop_token& stop) {
  const std::string name = nameOfPlace(from);
  std::error_code problem;
  if (!fs::is_directory(from, problem)) return add(from, name, to, stop);
  if (!to.empty() && !fs::create_directory(to, problem)) {
    return fail(osError(to, "make", problem ? problem.value() : EEXIST));
  }
  fs::recursive_directory_iterator at(from, problem);
  for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
    const fs::path inside = at->path().lexically_relative(from);
    const fs::path target = to.empty() ? to : to / inside;
    std::error_code vanished;
    if (!fs::is_directory(at->symlink_status(vanished))) {
      STRATA_TRY(add(at->path(), name + "/" + inside.generic_string(), target, stop));
    } else if (at.depth() >= kMostDepth) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("{}: folders nest deeper than {}", inside.string(), kMostDepth));
    } else if (!to.empty() && !fs::create_directory(target, problem)) {
      return fail(osError(target, "make", problem ? problem.value() : EEXIST));
    }
  }
  if (problem) return fail(osError(from, "list", problem.value()));
  return {};
}

Result<CopiedFiles> CopiedFiles::copy(const fs::path& from, const fs::path& to,
                                      const std::stop_token& stop) {
  CopiedFiles files;
  STRATA_TRY(files.addAll(from, to, stop));
  return files;
}

Result<CopiedFiles> CopiedFiles::of(const fs::path& place, const std::stop_token& stop) {
  return copy(place, {}, stop);
}

std::string CopiedFiles::text() const {
  std::string lines(kFirstLine);
  for (const auto& [path, file] : files_) {
    lines += fmt::format("{} {} {}\n", toHex(file.sha256), file.byteCount, path);
  }
  return fmt::format("{}{}{}\n", lines, kCheckLine, checkOf(lines));
}

Result<CopiedFiles> CopiedFiles::parse(std::string_view text) {
  constexpr std::size_t kHexDigits = 64;
  const auto damaged = [] {
    return fail(ErrorCode::CorruptData, "the list of its files is damaged");
  };
  CopiedFiles files;
  std::string_view left = text;
  if (!left.starts_with(kFirstLine)) return damaged();
  left.remove_prefix(kFirstLine.size());
  for (auto line = nextLine(left); line && !line->starts_with(kCheckLine); line = nextLine(left)) {
    const auto digest = digestFromHex(line->substr(0, kHexDigits));
    if (!digest || line->size() < kHexDigits + 1) return damaged();
    line->remove_prefix(kHexDigits + 1);
    File file{.sha256 = *digest};
    const auto [end, status] =
        std::from_chars(line->data(), line->data() + line->size(), file.byteCount);
    line->remove_prefix(static_cast<std::size_t>(end - line->data()));
    if (status != std::errc() || line->size() < 2) return damaged();
    files.files_.emplace(line->substr(1), file);
  }
  // What reads as it would be written has its check, too.
  if (files.text() != text) return damaged();
  return files;
}

std::optional<std::string> CopiedFiles::differenceTo(const CopiedFiles& found) const {
  for (const auto& [path, file] : files_) {
    const auto other = found.files_.find(path);
    const std::string name(withoutFirst(path));
    if (other == found.files_.end()) return name + " is not there";
    if (other->second.byteCount != file.byteCount) {
      return fmt::format("{} has {} bytes, expected {}", name, other->second.byteCount,
                         file.byteCount);
    }
    if (other->second.sha256 != file.sha256) return name + " has other bytes";
  }
  for (const auto& [path, file] : found.files_) {
    if (!files_.contains(path)) return std::string(withoutFirst(path)) + " was not copied there";
  }
  return std::nullopt;
}

Digest CopiedFiles::content() const {
  ContentHash hash;
  for (const auto& [path, file] : files_) {
    hash.add(withoutFirst(path), file.byteCount, file.sha256.bytes);
  }
  return hash.finish();
}

std::uint64_t CopiedFiles::byteCount() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, file] : files_) bytes += file.byteCount;
  return bytes;
}

std::string CopiedFiles::name() const {
  if (files_.empty()) return {};
  const std::string& path = files_.begin()->first;
  return path.substr(0, path.find('/'));
}

}  // namespace strata
