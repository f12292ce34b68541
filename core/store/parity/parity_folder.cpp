#include "core/store/parity/parity_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/io/durable_folder.h"
#include "core/io/failed_as.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/objects/object_folder.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpen = "open";
constexpr const char* kClosed = "closed";
constexpr const char* kBehind = "behind";
constexpr std::size_t kIdDigits = 64;

/// "ID.0" taken apart.
std::optional<std::pair<Digest, std::size_t>> shardOf(std::string_view name) {
  if (name.size() != kIdDigits + 2 || name[kIdDigits] != '.') return std::nullopt;
  const auto id = digestFromHex(name.substr(0, kIdDigits));
  const auto shard = static_cast<std::size_t>(name.back() - '0');
  if (!id || toHex(*id) != name.substr(0, kIdDigits) || shard >= kMostShards) return std::nullopt;
  return std::pair{*id, shard};
}

}  // namespace

ParityFolder::ParityFolder(const fs::path& storeFolder)
    : store_(storeFolder), parity_(storeFolder / "parity") {}

bool ParityFolder::exists() const {
  std::error_code status;
  return fs::exists(fs::symlink_status(parity_, status));
}

fs::path ParityFolder::pathOf(const StoredParity& stored, std::size_t shard) const {
  const std::string name = fmt::format("{}.{}", toHex(stored.id), shard);
  if (stored.isOpen) return parity_ / kOpen / name;
  return parity_ / kClosed / name.substr(0, 2) / name.substr(2);
}

Result<void> ParityFolder::collect(const fs::path& folder, std::string_view start, bool isOpen,
                                   Found& found) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  std::error_code status;
  fs::directory_iterator entries(folder, status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const auto shard = shardOf(std::string(start) + entries->path().filename().string());
    if (shard) found[{shard->first, isOpen}] |= 1U << shard->second;
  }
  const bool isGone = failedAs(status, std::errc::no_such_file_or_directory);
  if (status && !isGone) return fail(osError(folder, "list", status.value()));
  return {};
}

Result<void> ParityFolder::addGroup(const Digest& id, bool isOpen, std::uint32_t files,
                                    ParityListing& listing) const {
  StoredParity stored{{}, id, isOpen, files};
  for (std::uint8_t shard = 0; shard < kMostShards; ++shard) {
    if (!stored.hasFile(shard)) continue;
    const auto file = open(stored, shard);
    if (!file && file.error().code == ErrorCode::NotFound) continue;
    if (!file) return fail(file.error());
    auto group = readParityHeader(file->bytes(), shard);
    if (!group && group.error().code == ErrorCode::FormatTooNew) {
      return fail(group.error().within(pathOf(stored, shard).string()));
    }
    if (!group || group->id() != id) continue;
    // Files of other numbers are none of its shards.
    stored.files &= (1U << group->ratio.shards) - 1;
    stored.group = *std::move(group);
    listing.groups.push_back(std::move(stored));
    return {};
  }
  for (std::uint8_t shard = 0; shard < kMostShards; ++shard) {
    if (stored.hasFile(shard)) listing.unreadable.push_back(pathOf(stored, shard));
  }
  return {};
}

Result<ParityListing> ParityFolder::list(Scope scope) const {
  ParityListing listing;
  if (!exists()) return listing;
  Found found;
  STRATA_TRY(collect(parity_ / kOpen, "", true, found));
  if (scope == Scope::All) {
    STRATA_TRY(checkOwnFolder(store_, parity_ / kClosed));
    std::error_code status;
    fs::directory_iterator folders(parity_ / kClosed, status);
    for (; !status && folders != fs::directory_iterator(); folders.increment(status)) {
      const std::string name = folders->path().filename().string();
      if (ObjectFolder::isFolderName(name)) {
        STRATA_TRY(collect(folders->path(), name, false, found));
      }
    }
    const bool isGone = failedAs(status, std::errc::no_such_file_or_directory);
    if (status && !isGone) return fail(osError(parity_ / kClosed, "list", status.value()));
  }
  for (const auto& [key, files] : found) {
    STRATA_TRY(addGroup(key.first, key.second, files, listing));
  }
  return listing;
}

Result<MappedFile> ParityFolder::open(const StoredParity& stored, std::size_t shard) const {
  const fs::path path = pathOf(stored, shard);
  STRATA_TRY(checkOwnFile(store_, path));
  return MappedFile::open(path);
}

Result<fs::path> ParityFolder::makePlace(const StoredParity& stored, std::size_t shard) const {
  fs::path place = pathOf(stored, shard);
  STRATA_TRY(checkOwnFile(store_, place));
  STRATA_TRY(make(parity_));
  if (!stored.isOpen) STRATA_TRY(make(parity_ / kClosed));
  STRATA_TRY(make(place.parent_path()));
  return place;
}

Result<void> ParityFolder::make(const fs::path& folder) const {
  if (made_.contains(folder)) return {};
  STRATA_TRY(makeSyncedFolder(folder));
  made_.insert(folder);
  return {};
}

Result<void> ParityFolder::remove(const StoredParity& stored) const {
  for (std::size_t shard = 0; shard < kMostShards; ++shard) {
    if (stored.hasFile(shard)) STRATA_TRY(removeFile(pathOf(stored, shard)));
  }
  return {};
}

Result<void> ParityFolder::removeFile(const fs::path& file) const {
  STRATA_TRY(checkOwnFolder(store_, file.parent_path()));
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return fail(osError(file, "delete", errno));
  return {};
}

std::optional<std::string> ParityFolder::behind() const {
  const fs::path file = parity_ / kBehind;
  const auto bytes = ownFileSize(store_, file);
  if (!bytes || !*bytes) return std::nullopt;
  const auto text = MappedFile::open(file);
  if (!text) return std::string();
  return std::string(reinterpret_cast<const char*>(text->bytes().data()), text->bytes().size());
}

void ParityFolder::setBehind(const std::string& reason) const {
  if (!makeSyncedFolder(parity_)) return;
  (void)writeFileWhole(store_ / "tmp", parity_ / kBehind, reason);
}

void ParityFolder::clearBehind() const { ::unlink((parity_ / kBehind).c_str()); }

}  // namespace strata
