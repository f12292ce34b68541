#include "core/store/objects/object_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "core/io/durable_folder.h"
#include "core/io/failed_as.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class FileObject final : public NewObject {
 public:
  FileObject(TempFile file, const ObjectFolder& folder) : file_(std::move(file)), folder_(folder) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    STRATA_TRY(file_.append(bytes));
    hash_.update(bytes);
    return {};
  }

  std::uint64_t byteCount() const noexcept override { return file_.byteCount(); }

  Result<void> close() override { return file_.close(); }

  Result<Digest> commit() override {
    const Digest digest = hash_.finish();
    STRATA_TRY(const fs::path place, folder_.makePlace(digest));
    STRATA_TRY(file_.makeReadOnly());
    STRATA_TRY(file_.moveTo(place));
    return digest;
  }

 private:
  TempFile file_;
  Sha256 hash_;
  ObjectFolder folder_;
};

/// Whether objects may lie in a folder of `objects/`. A link of such a name is among them, so that
/// whoever goes on with it refuses it.
bool isObjectFolder(const fs::directory_entry& entry) {
  std::error_code gone;
  const fs::file_type type = entry.symlink_status(gone).type();
  return ObjectFolder::isFolderName(entry.path().filename().native()) &&
         (type == fs::file_type::directory || type == fs::file_type::symlink);
}

Error noSuchObject(const Digest& digest, const fs::path& path) {
  return {ErrorCode::NotFound,
          "object " + toHex(digest) + " is missing: " + path.string() +
              " does not exist; adding its model again from the file repairs it"};
}

}  // namespace

ObjectFolder::ObjectFolder(const fs::path& storeFolder)
    : store_(storeFolder), objects_(storeFolder / "objects"), temporary_(storeFolder / "tmp") {}

bool ObjectFolder::isFolderName(std::string_view name) noexcept {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

fs::path ObjectFolder::pathOf(const Digest& digest) const {
  const std::string hex = toHex(digest);
  return objects_ / hex.substr(0, 2) / hex.substr(2);
}

Result<MappedFile> ObjectFolder::open(const Digest& digest) const {
  const fs::path path = pathOf(digest);
  STRATA_TRY(checkOwnFile(store_, path));
  Result<MappedFile> file = MappedFile::open(path);
  if (!file && file.error().code == ErrorCode::NotFound) return fail(noSuchObject(digest, path));
  return file;
}

Result<std::uint64_t> ObjectFolder::byteCount(const Digest& digest) const {
  const fs::path path = pathOf(digest);
  STRATA_TRY(const auto count, ownFileSize(store_, path));
  if (!count) return fail(noSuchObject(digest, path));
  return *count;
}

Result<std::vector<StoredObject>> ObjectFolder::list() const {
  STRATA_TRY(checkOwnFolder(store_, objects_));
  std::vector<StoredObject> objects;
  std::error_code status;
  fs::directory_iterator folders(objects_, status);
  for (; !status && folders != fs::directory_iterator(); folders.increment(status)) {
    if (isObjectFolder(*folders)) STRATA_TRY(listIn(folders->path(), objects));
  }
  // Tools that copy may drop a folder that is empty; who lost objects finds each of them missing.
  const bool isGone = failedAs(status, std::errc::no_such_file_or_directory);
  if (status && !isGone) return fail(osError(objects_, "list", status.value()));
  std::sort(objects.begin(), objects.end(),
            [](const auto& a, const auto& b) { return a.digest < b.digest; });
  return objects;
}

Result<void> ObjectFolder::listIn(const fs::path& folder,
                                  std::vector<StoredObject>& objects) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  std::error_code status;
  fs::directory_iterator entries(folder, status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const auto digest = digestOf(entries->path());
    if (!digest || entries->symlink_status(status).type() != fs::file_type::regular) continue;
    const std::uintmax_t count = entries->file_size(status);
    if (status) return fail(osError(entries->path(), "look at", status.value()));
    objects.push_back({*digest, count});
  }
  if (status) return fail(osError(folder, "list", status.value()));
  return {};
}

std::optional<Digest> ObjectFolder::digestOf(const fs::path& file) const {
  const auto digest =
      digestFromHex(file.parent_path().filename().string() + file.filename().string());
  if (!digest || pathOf(*digest) != file) return std::nullopt;
  return digest;
}

Result<std::unique_ptr<NewObject>> ObjectFolder::create() const {
  STRATA_TRY(TempFile file, TempFile::createForStore(temporary_, "object"));
  return std::make_unique<FileObject>(std::move(file), *this);
}

Result<fs::path> ObjectFolder::makePlace(const Digest& digest) const {
  fs::path place = pathOf(digest);
  STRATA_TRY(checkOwnFolder(store_, place.parent_path()));
  // Any file there makes room for the new one; a folder does not.
  std::error_code gone;
  const bool isFolder = fs::is_directory(fs::symlink_status(place, gone));
  if (isFolder) STRATA_TRY(checkOwnFile(store_, place));
  STRATA_TRY(makeSyncedFolder(place.parent_path()));
  return place;
}

Result<void> ObjectFolder::adopt(const fs::path& file, const Digest& digest) const {
  STRATA_TRY(const fs::path place, makePlace(digest));
  STRATA_TRY(makeReadOnly(file));
  if (::rename(file.c_str(), place.c_str()) != 0) return fail(osError(file, "move", errno));
  return syncFolder(place.parent_path());
}

Result<void> ObjectFolder::remove(const Digest& digest) const {
  const fs::path path = pathOf(digest);
  STRATA_TRY(checkOwnFolder(store_, path.parent_path()));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail(osError(path, "delete", errno));
  }
  return {};
}

}  // namespace strata
