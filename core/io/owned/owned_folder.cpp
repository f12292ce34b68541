#include "core/io/owned/owned_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include "core/digest.h"
#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kRandomDigits = 8;
constexpr std::size_t kCheckDigits = 8;
/// A name is given up if somebody deletes the folder before it is locked.
constexpr int kMostTries = 100;

std::string checkDigits(std::string_view begin) {
  return toHex(sha256(std::as_bytes(std::span(begin)))).substr(0, kCheckDigits);
}

/// Whether claimName() gave the name.
bool isOfKind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kEnding)) return false;
  const std::size_t begin = prefix.size() + 1 + kRandomDigits;
  if (name.size() != begin + kCheckDigits + kEnding.size() || name[prefix.size()] != '-') {
    return false;
  }
  return name.substr(begin, kCheckDigits) == checkDigits(name.substr(0, begin));
}

/// Whether it is the user's own, of that kind, and no other process holds it: this one then does.
bool isDead(int descriptor, const fs::path& path, unsigned kind) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || status.st_uid != ::geteuid()) return false;
  if ((status.st_mode & S_IFMT) != kind) return false;
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isStillNamed(descriptor, path);
}

/// Those of such names in `place`, each opened by `open` and removed if it is dead.
template <typename Open>
void removeAllDead(const fs::path& place, std::string_view prefix, unsigned kind,
                   const Open& open) noexcept {
  std::error_code ignored;
  for (fs::directory_iterator entry(place, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const fs::path& path = entry->path();
    if (!isOfKind(path.filename().string(), prefix)) continue;
    const OpenFile opened(open(path));
    if (opened.descriptor < 0) continue;
    std::error_code refused;
    if (isDead(opened.descriptor, path, kind)) fs::remove_all(path, refused);
  }
}

}  // namespace

std::string claimName(std::string_view prefix) {
  const std::string begin = fmt::format("{}-{}", prefix, randomName().substr(0, kRandomDigits));
  return begin + checkDigits(begin) + std::string(kEnding);
}

bool lockEntry(int descriptor, const fs::path& path) noexcept {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return isStillNamed(descriptor, path);
}

int openEither(const fs::path& path) noexcept {
  constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const int descriptor = ::open(path.c_str(), O_RDONLY | kFlags);
  return descriptor >= 0 ? descriptor : ::open(path.c_str(), O_WRONLY | kFlags);
}

Result<OwnedFolder> OwnedFolder::make(const fs::path& place, std::string_view prefix,
                                      unsigned mode) {
  for (int i = 0; i < kMostTries; ++i) {
    const fs::path path = place / claimName(prefix);
    if (::mkdir(path.c_str(), mode) != 0) {
      if (errno == EEXIST) continue;  // somebody's, by chance
      return fail(osError(path, "make", errno));
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    OwnedFolder made(path, descriptor);
    if (descriptor >= 0 && lockEntry(descriptor, path)) return made;
  }
  return fail(ErrorCode::Io, place.string() + ": cannot make a folder that stays");
}

void OwnedFolder::removeDead(const fs::path& place, std::string_view prefix) noexcept {
  removeAllDead(place, prefix, S_IFDIR, [](const fs::path& path) {
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  });
}

std::vector<OwnedFolder> OwnedFolder::takeDead(const fs::path& place, std::string_view prefix) {
  std::vector<OwnedFolder> taken;
  std::error_code ignored;
  for (fs::directory_iterator entry(place, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const fs::path& path = entry->path();
    if (!isOfKind(path.filename().string(), prefix)) continue;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (isDead(descriptor, path, S_IFDIR)) {
      taken.push_back(OwnedFolder(path, descriptor));
    } else {
      ::close(descriptor);
    }
  }
  return taken;
}

void OwnedFolder::removeDeadFiles(const fs::path& place, std::string_view prefix) noexcept {
  removeAllDead(place, prefix, S_IFREG, openEither);
}

OwnedFolder::OwnedFolder(fs::path path, int descriptor) noexcept
    : path_(std::move(path)), descriptor_(descriptor) {}

OwnedFolder::OwnedFolder(OwnedFolder&& other) noexcept { *this = std::move(other); }

OwnedFolder& OwnedFolder::operator=(OwnedFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OwnedFolder::~OwnedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  release();
}

void OwnedFolder::release() noexcept {
  path_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace strata
