#include "core/config/store_owner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/text/command_words.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 1'000'000;

/// What says where the store's traffic goes and what its files mean.
constexpr std::array kSettingsFiles{"store.toml", "config.toml", "remotes.toml"};

std::string userName(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> room{};
  ::getpwuid_r(user, &entry, room.data(), room.size(), &found);
  return found == nullptr ? "a user without a name" : entry.pw_name;
}

/// Who called sudo.
bool isCaller(uid_t user) {
  const char* const text = std::getenv("SUDO_UID");
  if (text == nullptr) return false;
  const std::string_view digits = text;
  uid_t caller = 0;
  const auto [end, status] = std::from_chars(digits.begin(), digits.end(), caller);
  return status == std::errc{} && end == digits.end() && caller == user;
}

Error foreignOwner(const fs::path& place, const fs::path& storeFolder, uid_t owner) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{}: belongs to {} (user {}), not to you; \"strata config trust {}\" accepts "
                      "a store of others",
                      place.string(), userName(owner), owner, shellWord(storeFolder.string()))};
}

Result<void> checkOwner(const fs::path& place, const fs::path& storeFolder, uid_t owner) {
  if (isOwnFile(owner)) return {};
  STRATA_TRY(const TrustedStore trusted, trustOf(storeFolder));
  if (trusted.confirms(ownerStatement(owner))) return {};
  return fail(foreignOwner(place, storeFolder, owner));
}

/// All that is in a file, up to a byte more than it may have.
Result<std::string> readAll(int descriptor, const fs::path& file) {
  std::string text(kMostBytes + 1, '\0');
  std::size_t count = 0;
  while (count < text.size()) {
    const ssize_t more = ::read(descriptor, text.data() + count, text.size() - count);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return fail(osError(file, "read", errno));
    if (more == 0) break;
    count += static_cast<std::size_t>(more);
  }
  text.resize(count);
  return text;
}

}  // namespace

bool isOwnFile(uid_t owner) {
  const uid_t user = ::geteuid();
  return owner == user || (user == 0 && isCaller(owner));
}

StoreStatement ownerStatement(uid_t owner) {
  const std::string number = std::to_string(owner);
  return StoreStatement::make("owner " + number, number, userName(owner));
}

std::vector<StoreStatement> foreignOwners(const fs::path& storeFolder) {
  std::vector<fs::path> places{storeFolder};
  for (const char* const name : kSettingsFiles) places.push_back(storeFolder / name);
  std::vector<StoreStatement> owners;
  for (const fs::path& place : places) {
    struct stat info {};
    if (::stat(place.c_str(), &info) != 0 || isOwnFile(info.st_uid)) continue;
    StoreStatement statement = ownerStatement(info.st_uid);
    const auto isSame = [&](const StoreStatement& one) { return one.what == statement.what; };
    if (std::none_of(owners.begin(), owners.end(), isSame)) owners.push_back(std::move(statement));
  }
  return owners;
}

Result<void> checkStoreOwner(const fs::path& storeFolder) {
  std::vector<fs::path> places{storeFolder};
  for (const char* const name : kSettingsFiles) places.push_back(storeFolder / name);
  for (const fs::path& place : places) {
    struct stat info {};
    if (::stat(place.c_str(), &info) != 0) continue;  // who reads it says why it cannot
    STRATA_TRY(checkOwner(place, storeFolder, info.st_uid));
  }
  return {};
}

Result<std::string> readStoreText(const fs::path& storeFolder, std::string_view name) {
  const fs::path file = storeFolder / name;
  const OpenFile open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (open.descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::string{};
  if (open.descriptor < 0 && errno == ELOOP) {
    return fail(ErrorCode::InvalidArgument,
                file.string() + ": is a link; the settings of a store are files of its own");
  }
  if (open.descriptor < 0) return fail(osError(file, "read", errno));
  struct stat info {};
  if (::fstat(open.descriptor, &info) != 0) return fail(osError(file, "read", errno));
  STRATA_TRY(checkOwner(file, storeFolder, info.st_uid));
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::InvalidArgument, file.string() + ": is no regular file");
  }
  STRATA_TRY(std::string text, readAll(open.descriptor, file));
  if (text.size() > kMostBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {} bytes, a settings file has at most {}", file.string(),
                            info.st_size, kMostBytes));
  }
  return text;
}

}  // namespace strata
