#include "core/store/objects/staged_objects.h"

#include <optional>
#include <string>
#include <utility>

#include "core/io/store_modes.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "add-";
constexpr std::string_view kLockEnding = ".lock";

fs::path lockFileOf(const fs::path& folder) { return folder.string() + std::string(kLockEnding); }

}  // namespace

/// A file that is kept when it is committed and noted by its digest.
class StagedObjects::StagedObject final : public NewObject {
 public:
  StagedObject(TempFile file, StagedObjects& owner) : file_(std::move(file)), owner_(owner) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    STRATA_TRY(file_.append(bytes));
    hash_.update(bytes);
    return {};
  }

  std::uint64_t byteCount() const noexcept override { return file_.byteCount(); }

  Result<void> close() override { return file_.close(); }

  Result<Digest> commit() override {
    STRATA_TRY(file_.keep());
    const Digest digest = hash_.finish();
    owner_.objects_.push_back({digest, file_.path()});
    return digest;
  }

 private:
  TempFile file_;
  StagedObjects& owner_;
  Sha256 hash_;
};

StagedObjects::StagedObjects(fs::path folder, FolderLock lock)
    : folder_(std::move(folder)), lock_(std::move(lock)) {}

StagedObjects::~StagedObjects() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove(lockFileOf(folder_), ignored);
}

Result<std::unique_ptr<StagedObjects>> StagedObjects::make(const fs::path& storeFolder) {
  constexpr int kTries = 8;
  const fs::path parent = storeFolder / "tmp";
  std::error_code status;
  for (int i = 0; i < kTries; ++i) {
    const fs::path folder = parent / (std::string(kPrefix) + randomName());
    auto lock = FolderLock::take(folder);
    // A writer that cleans up may have come between the lock's file and the lock.
    if (!lock && lock.error().code == ErrorCode::StoreLocked) continue;
    if (!lock) return fail(std::move(lock).error());
    std::unique_ptr<StagedObjects> made(new StagedObjects(folder, *std::move(lock)));
    STRATA_TRY(makeStoreFolder(folder));
    if (fs::exists(lockFileOf(folder), status)) return made;
  }
  return fail(ErrorCode::Io, parent.string() + ": other programs delete what is written there");
}

Result<std::unique_ptr<NewObject>> StagedObjects::createObject() {
  STRATA_TRY(TempFile file, TempFile::createForStore(folder_, "object"));
  return std::make_unique<StagedObject>(std::move(file), *this);
}

void StagedObjects::removeAbandoned(const fs::path& storeFolder) {
  std::vector<fs::path> folders;
  std::error_code status;
  for (fs::directory_iterator entry(storeFolder / "tmp", status), end; !status && entry != end;
       entry.increment(status)) {
    std::string path = entry->path().string();
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    // The lock's file stays where its owner died before it made the folder.
    if (path.ends_with(kLockEnding)) path.resize(path.size() - kLockEnding.size());
    folders.emplace_back(std::move(path));
  }
  for (const fs::path& folder : folders) FolderLock::removeFree(folder);
}

}  // namespace strata
