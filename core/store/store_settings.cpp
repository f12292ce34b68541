#include "core/store/store_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "core/config/store_owner.h"
#include "core/config/toml_file.h"
#include "core/io/durable_folder.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/refs/ref_aside.h"
#include "core/store/store.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "store.toml";
constexpr std::size_t kIdDigits = 32;

Error settingsError(const fs::path& file, std::string_view what) {
  return {ErrorCode::CorruptData,
          fmt::format("{}: {}; \"strata verify --repair\" writes it anew", file.string(), what)};
}

/// Whether a folder has folders in it.
bool holdsFolder(const fs::path& folder) {
  std::error_code status;
  fs::directory_iterator entry(folder, status);
  for (; !status && entry != fs::directory_iterator(); entry.increment(status)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) return true;
  }
  return false;
}

/// What a damaged text still says of the id; empty if nothing.
std::string idIn(std::string_view text) {
  constexpr std::string_view kBefore = "id = \"";
  const std::size_t at = text.find(kBefore);
  if (at == text.npos) return {};
  const std::string_view id = text.substr(at + kBefore.size(), kIdDigits);
  const bool isWhole =
      id.size() == kIdDigits && text.substr(at + kBefore.size() + kIdDigits, 1) == "\"";
  const bool isHex = id.find_first_not_of("0123456789abcdef") == id.npos;
  return isWhole && isHex ? std::string(id) : std::string();
}

/// A free name beside the file.
fs::path asideOf(const fs::path& file) {
  fs::path aside = file.string() + kAsideEnd;
  std::error_code status;
  for (int copy = 2; fs::exists(fs::symlink_status(aside, status)); ++copy) {
    aside = fmt::format("{}{}-{}", file.string(), kAsideEnd, copy);
  }
  return aside;
}

}  // namespace

bool hasLostSettings(const fs::path& folder) {
  std::error_code status;
  if (fs::exists(folder / kSettings, status) || fs::exists(folder / "strata.json", status)) {
    return false;
  }
  const bool isStores =
      fs::exists(folder / "catalog.sqlite", status) || fs::is_directory(folder / "trash", status);
  constexpr std::array kKept{"refs", "objects", "trash"};
  return isStores && fs::is_directory(folder / "objects", status) &&
         fs::is_directory(folder / "refs", status) &&
         std::any_of(kKept.begin(), kKept.end(),
                     [&](const char* name) { return holdsFolder(folder / name); });
}

Result<std::string> readSettings(const fs::path& folder) {
  const fs::path file = folder / kSettings;
  STRATA_TRY(checkStoreOwner(folder));
  if (hasLostSettings(folder)) return fail(settingsError(file, "is missing"));
  std::error_code status;
  if (fs::is_directory(fs::symlink_status(file, status))) {
    return fail(settingsError(file, "is a folder, expected a file of the store itself"));
  }
  STRATA_TRY(const std::string text, readStoreText(folder, kSettings));
  const auto table = parseToml(text, file);
  if (!table) {
    return fail(ErrorCode::CorruptData,
                table.error().message + "; \"strata verify --repair\" writes it anew");
  }
  const auto format = (*table)["format"].value<std::int64_t>();
  const auto id = (*table)["id"].value<std::string>();
  if (!format || *format < 1 || !id) {
    return fail(settingsError(file, "does not say the store's format and id"));
  }
  if (*format > kStoreFormat) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has store format {}, this program reads up to {}", file.string(),
                            *format, kStoreFormat));
  }
  return *id;
}

std::string newStoreId() { return randomName() + randomName(); }

Result<void> writeSettings(const fs::path& folder, const std::string& id) {
  const std::string settings = fmt::format(
      "# A Strata store. Do not edit what is under this folder by hand.\n"
      "format = {}\nid = \"{}\"\n",
      kStoreFormat, id);
  return writeFileWhole(folder / "tmp", folder / kSettings, settings);
}

Result<bool> mendSettings(const fs::path& folder, const LockWait& wait) {
  if (!Store::isStore(folder)) {
    return fail(ErrorCode::NoStore, folder.string() + ": no store here");
  }
  STRATA_TRY(checkPlaces(folder));
  const auto isDamaged = [&]() -> Result<bool> {
    const auto read = readSettings(folder);
    if (!read && read.error().code != ErrorCode::CorruptData) return fail(read.error());
    return !read;
  };
  STRATA_TRY(const bool isToMend, isDamaged());
  if (!isToMend) return false;
  STRATA_TRY(makeStoreFolder(folder / "tmp"));
  STRATA_TRY(StoreLock lock, StoreLock::acquire(folder / "lock", "verify", wait, {}));
  // The next writer has to look as well.
  if (lock.previousOwnerDied()) lock.leaveMark();
  STRATA_TRY(const bool isStill, isDamaged());
  if (!isStill) return false;
  const fs::path file = folder / kSettings;
  const auto text = readStoreText(folder, kSettings);
  const std::string id = text ? idIn(*text) : std::string();
  std::error_code status;
  if (fs::exists(fs::symlink_status(file, status))) {
    if (::rename(file.c_str(), asideOf(file).c_str()) != 0) {
      return fail(osError(file, "move", errno));
    }
    STRATA_TRY(syncFolder(folder));
  }
  STRATA_TRY(writeSettings(folder, id.empty() ? newStoreId() : id));
  return true;
}

}  // namespace strata
