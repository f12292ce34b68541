#include "core/io/owned/owned_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/io/owned/owned_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A name is given up if somebody deletes the file before it is locked.
constexpr int kMostNames = 100;

}  // namespace

Result<OwnedFile> OwnedFile::make(const fs::path& folder, std::string_view prefix,
                                  std::uint32_t mode) {
  for (int i = 0; i < kMostNames; ++i) {
    STRATA_TRY(TempFile file, TempFile::createAt(folder / claimName(prefix), mode));
    const int lock = openEither(file.path());
    const bool isClaimed = lock < 0 || lockEntry(lock, file.path());
    OwnedFile made(lock, std::move(file));
    if (isClaimed) return made;
  }
  return fail(ErrorCode::Io, folder.string() + ": cannot make a file that stays");
}

void OwnedFile::removeDead(const fs::path& folder, std::string_view prefix) noexcept {
  OwnedFolder::removeDeadFiles(folder, prefix);
}

OwnedFile& OwnedFile::operator=(OwnedFile&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(file_, other.file_);
  return *this;
}

OwnedFile::~OwnedFile() {
  // The file goes before its lock.
  { const TempFile gone = std::move(file_); }
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace strata
