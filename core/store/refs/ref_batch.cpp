#include "core/store/refs/ref_batch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/io/durable_folder.h"
#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/placed_file.h"
#include "core/io/special_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

Result<void> syncFile(const fs::path& file) {
  const OpenFile opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.descriptor < 0) return fail(osError(file, "open", errno));
  if (::fsync(opened.descriptor) != 0) return fail(osError(file, "sync", errno));
  return {};
}

}  // namespace

Result<RefBatch> RefBatch::begin(const fs::path& storeFolder, std::size_t count) {
  if (count <= FileSystemSync::kFew) return RefBatch(storeFolder, std::nullopt);
  STRATA_TRY(FileSystemSync sync, FileSystemSync::begin(storeFolder));
  return RefBatch(storeFolder, std::move(sync));
}

RefBatch& RefBatch::operator=(RefBatch&& other) noexcept {
  discard();
  store_ = std::move(other.store_);
  sync_ = std::move(other.sync_);
  files_ = std::exchange(other.files_, {});
  return *this;
}

RefBatch::~RefBatch() { discard(); }

void RefBatch::discard() noexcept {
  for (const File& file : files_) ::unlink(file.written.c_str());
  files_.clear();
}

Result<void> RefBatch::makeFolder(const fs::path& folder) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  if (sync_) {
    STRATA_TRY(makeStoreFolder(folder));
    return {};
  }
  // That of a name comes before its tags; those above it are there.
  if (folder.parent_path().parent_path() != store_) {
    STRATA_TRY(makeSyncedFolder(folder.parent_path()));
  }
  return makeSyncedFolder(folder);
}

Result<void> RefBatch::write(const fs::path& target, std::string_view text) {
  STRATA_TRY(checkOwnFile(store_, target));
  STRATA_TRY(makeFolder(target.parent_path()));
  const fs::path written = store_ / "tmp" / fmt::format("small-{}.tmp", randomName());
  const OpenFile opened(openStoreFile(written, O_WRONLY | O_EXCL | O_NOFOLLOW));
  if (opened.descriptor < 0) return fail(osError(written, "create", errno));
  files_.push_back({written, target});
  return writeAll(opened.descriptor, std::as_bytes(std::span(text)), written);
}

Result<void> RefBatch::sync() {
  if (sync_) return sync_->run();
  for (const File& file : files_) STRATA_TRY(syncFile(file.written));
  return {};
}

Result<void> RefBatch::place() {
  for (const File& file : files_) {
    STRATA_TRY(refuseSpecial(file.target));
    if (::rename(file.written.c_str(), file.target.c_str()) != 0) {
      const Error failed = osError(file.target, "rename to", errno);
      STRATA_TRY(checkOwnFile(store_, file.target));
      return fail(failed);
    }
    if (!sync_) STRATA_TRY(syncPlaced(file.target));
  }
  files_.clear();
  return sync_ ? sync_->run() : Result<void>();
}

}  // namespace strata
