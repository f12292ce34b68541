#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/config/toml_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/store/catalog_sync.h"
#include "core/store/reference.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "store.toml";
constexpr const char* kCatalog = "catalog.sqlite";
constexpr std::array kFolders{"objects", "refs", "trash", "tmp"};

/// The store's id. Other keys are settings and not looked at here.
Result<std::string> readSettings(const fs::path& file) {
  STRATA_TRY(const std::string text, readTomlText(file));
  const auto table = parseToml(text, file);
  if (!table) return fail(ErrorCode::CorruptData, table.error().message);
  const auto format = (*table)["format"].value<std::int64_t>();
  const auto id = (*table)["id"].value<std::string>();
  if (!format || *format < 1 || !id) {
    return fail(ErrorCode::CorruptData, file.string() + ": does not say the store's format and id");
  }
  if (*format > kStoreFormat) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has store format {}, this program reads up to {}", file.string(),
                            *format, kStoreFormat));
  }
  return *id;
}

/// Whether a folder holds nothing but what an interrupted creation left.
bool isFreeForStore(const fs::path& folder) {
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(folder, status)) {
    const std::string name = entry.path().filename().string();
    const bool isOurs = std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end() ||
                        name.starts_with(kCatalog);
    if (!isOurs) return false;
  }
  return !status;
}

Result<void> makeFolder(const fs::path& folder) {
  std::error_code status;
  fs::create_directories(folder, status);
  if (status) return fail(osError(folder, "create", status.value()));
  return {};
}

/// Files of writers that died. Only under the lock.
void removeLeftovers(const fs::path& temporary) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(temporary, ignored)) {
    if (entry.path().extension() == ".tmp") fs::remove_all(entry.path(), ignored);
  }
}

/// Who follows the catalog goes by its operations.
Result<void> logSync(Catalog& catalog, std::string_view kind) {
  return catalog.transact([&] { return catalog.log(kind, {}, currentTime()); });
}

}  // namespace

Store::Store(fs::path folder, std::string id, std::unique_ptr<Catalog> catalog)
    : folder_(std::move(folder)),
      id_(std::move(id)),
      catalog_(std::move(catalog)),
      objects_(folder_),
      refs_(folder_) {}

bool Store::isStore(const fs::path& folder) {
  std::error_code status;
  return fs::exists(folder / kSettings, status);
}

Result<std::string> Store::checkFormat(const fs::path& folder) {
  if (!isStore(folder)) {
    return fail(ErrorCode::NoStore, folder.string() + ": no store here");
  }
  return readSettings(folder / kSettings);
}

Result<std::unique_ptr<Store>> Store::open(const fs::path& folder) {
  std::error_code status;
  const fs::path whole = fs::absolute(folder, status).lexically_normal();
  STRATA_TRY(std::string id, checkFormat(whole));
  Result<std::unique_ptr<Catalog>> catalog = Catalog::openForReading(whole / kCatalog);
  if (!catalog) {
    const ErrorCode code = catalog.error().code;
    if (code != ErrorCode::NotFound && code != ErrorCode::CorruptData) {
      return fail(std::move(catalog).error());
    }
    return fail(ErrorCode::CorruptData,
                catalog.error().message + "; \"strata verify --rebuild-catalog\" writes it anew");
  }
  return std::unique_ptr<Store>(new Store(whole, std::move(id), *std::move(catalog)));
}

Result<std::unique_ptr<Store>> Store::create(const fs::path& folder) {
  std::error_code status;
  const fs::path whole = fs::absolute(folder, status).lexically_normal();
  if (isStore(whole)) {
    return fail(ErrorCode::InvalidArgument, whole.string() + ": is a store already");
  }
  if (fs::exists(whole, status) && (!fs::is_directory(whole, status) || !isFreeForStore(whole))) {
    return fail(ErrorCode::InvalidArgument,
                whole.string() + ": is not an empty folder; a store needs one of its own");
  }
  STRATA_TRY(makeFolder(whole));
  for (const char* name : kFolders) STRATA_TRY(makeFolder(whole / name));
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(whole / (std::string(kCatalog) + end), status);
  }
  STRATA_TRY(const auto catalog, Catalog::create(whole / kCatalog));
  // The settings make it a store, so they come last.
  const std::string settings = fmt::format(
      "# A Strata store. Do not edit what is under this folder by hand.\n"
      "format = {}\nid = \"{}{}\"\n",
      kStoreFormat, randomName(), randomName());
  STRATA_TRY(writeFileWhole(whole / "tmp", whole / kSettings, settings));
  return open(whole);
}

Result<MappedFile> Store::openObject(const Digest& digest) const { return objects_.open(digest); }

Result<std::unique_ptr<StoreWriter>> Store::lock(std::string_view purpose) {
  STRATA_TRY(StoreLock lock, StoreLock::acquire(folder_ / "lock", purpose));
  const bool previousDied = lock.previousOwnerDied();
  // Until the leftovers are gone, the next writer has to look as well.
  lock.leaveMark();
  STRATA_TRY(auto catalog, Catalog::openForWriting(folder_ / kCatalog));
  if (previousDied) {
    removeLeftovers(folder_ / "tmp");
    STRATA_TRY(syncCatalog(*catalog, refs_, objects_, SyncScope::Differences, {}, {}));
    STRATA_TRY(logSync(*catalog, "settle"));
  }
  lock.clearMark();
  return std::unique_ptr<StoreWriter>(new StoreWriter(*this, std::move(lock), std::move(catalog)));
}

Result<SyncReport> Store::rebuildCatalog(const fs::path& folder, std::stop_token stop,
                                         const ProgressSink& progress) {
  STRATA_TRY(checkFormat(folder));
  STRATA_TRY(StoreLock lock, StoreLock::acquire(folder / "lock", "verify"));
  const fs::path file = folder / kCatalog;
  Result<std::unique_ptr<Catalog>> catalog = Catalog::openForWriting(file);
  const auto problems = catalog ? (*catalog)->integrityProblems()
                                : Result<std::vector<std::string>>(fail(catalog.error()));
  if (!catalog && catalog.error().code == ErrorCode::FormatTooNew) return fail(catalog.error());
  if (!problems || !problems->empty()) {
    catalog = fail(ErrorCode::CorruptData, "unreadable");  // closes it
    std::error_code status;
    fs::rename(file, folder / "tmp" / "catalog.broken", status);
    for (const char* end : {"-wal", "-shm"}) fs::remove(file.string() + end, status);
    catalog = Catalog::create(file);
  }
  if (!catalog) return fail(std::move(catalog).error());
  STRATA_TRY(SyncReport report, syncCatalog(**catalog, RefFolder(folder), ObjectFolder(folder),
                                            SyncScope::Everything, std::move(stop), progress));
  STRATA_TRY(logSync(**catalog, "rebuild"));
  return report;
}

}  // namespace strata
