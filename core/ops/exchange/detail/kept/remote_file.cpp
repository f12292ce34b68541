#include "core/ops/exchange/detail/kept/remote_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "core/digest.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/store/refs/ref_aside.h"
#include "core/store/store_places.h"
#include "core/transfer/remote_config.h"

namespace strata {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kUrlStem = ".url-";
constexpr std::string_view kKeptEndings[] = {".json", ".tags", ".notes"};

/// Gives what lies there a name that the store does not use, and returns that.
Result<fs::path> setAside(const fs::path& file) {
  constexpr int kMost = 1000;
  for (int i = 1; i <= kMost; ++i) {
    fs::path aside = file;
    aside += kAsideEnd;
    if (i > 1) aside += "-" + std::to_string(i);
    std::error_code status;
    if (fs::symlink_status(aside, status).type() != fs::file_type::not_found) continue;
    fs::rename(file, aside, status);
    if (status) return fail(osError(file, "set aside", status.value()));
    STRATA_TRY(syncFolder(file.parent_path()));
    return aside;
  }
  return fail(ErrorCode::Io, file.string() + ": cannot be set aside, all names for that are taken");
}

}  // namespace

std::string stemOf(const std::string& name) {
  return isRemoteUrl(name) ? std::string(kUrlStem) + toHex(sha256(std::as_bytes(std::span(name))))
                           : name;
}

bool isUrlStem(std::string_view stem) noexcept {
  return stem.starts_with(kUrlStem) && stem.size() == kUrlStem.size() + 2 * sizeof(Digest);
}

std::set<std::string> urlStemsKept(const fs::path& storeFolder) {
  std::set<std::string> stems;
  std::error_code status;
  fs::directory_iterator entries(storeFolder / "remotes", status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const std::string name = entries->path().filename().string();
    for (const std::string_view ending : kKeptEndings) {
      if (!name.ends_with(ending)) continue;
      std::string stem = name.substr(0, name.size() - ending.size());
      if (isUrlStem(stem)) stems.insert(std::move(stem));
    }
  }
  return stems;
}

Result<std::vector<fs::path>> setAsideKept(const fs::path& storeFolder, const std::string& stem) {
  std::vector<fs::path> aside;
  for (const std::string_view ending : kKeptEndings) {
    const fs::path file = keptFile(storeFolder, stem, ending);
    std::error_code status;
    if (fs::symlink_status(file, status).type() == fs::file_type::not_found) continue;
    STRATA_TRY(fs::path moved, setAside(file));
    aside.push_back(std::move(moved));
  }
  return aside;
}

fs::path remoteFile(const fs::path& storeFolder, const std::string& name, std::string_view ending) {
  return keptFile(storeFolder, leadingStem(storeFolder, name), ending);
}

fs::path keptFile(const fs::path& storeFolder, const std::string& stem, std::string_view ending) {
  return storeFolder / "remotes" / (stem + std::string(ending));
}

std::string placeOf(const fs::path& storeFolder, const std::string& name) {
  if (isRemoteUrl(name)) return stemOf(name);
  const auto list = RemoteList::load(storeFolder);
  const RemoteConfig* const remote = list ? list->find(name) : nullptr;
  return stemOf(remote == nullptr ? name : remote->url);
}

std::vector<std::string> stemsOfPlace(const fs::path& storeFolder, const std::string& name) {
  const auto list = RemoteList::load(storeFolder);
  if (!list) return {stemOf(name)};
  const RemoteConfig* const own = list->find(name);
  const std::string url = own == nullptr ? name : own->url;
  std::vector<std::string> stems;
  for (const RemoteConfig& remote : list->remotes) {
    if (remote.url == url) stems.push_back(remote.name);
  }
  stems.push_back(stemOf(url));
  return stems;
}

std::string leadingStem(const fs::path& storeFolder, const std::string& name) {
  return stemsOfPlace(storeFolder, name).front();
}

std::vector<std::string> stemsKept(const fs::path& storeFolder) {
  constexpr std::string_view kEnding = ".json";
  std::vector<std::string> stems;
  std::error_code status;
  fs::directory_iterator entries(storeFolder / "remotes", status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    std::string name = entries->path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    stems.push_back(std::move(name));
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

Result<void> checkIsOwnFile(const fs::path& file) {
  STRATA_TRY(const auto problem, placeProblem(file, PlaceKind::File));
  if (!problem) return {};
  return fail(ErrorCode::CorruptData, file.string() + ": " + *problem);
}

std::vector<std::string> oddPlaces(const fs::path& storeFolder, const std::string& name) {
  std::vector<std::string> said;
  for (const std::string_view ending : kKeptEndings) {
    const auto own = checkIsOwnFile(remoteFile(storeFolder, name, ending));
    if (own) continue;
    said.push_back(own.error().message + "; it is set aside, under a name with \".damaged\"");
  }
  return said;
}

Result<void> makeRoomFor(const fs::path& file) {
  STRATA_TRY(const auto problem, placeProblem(file, PlaceKind::File));
  // Other reasons why it cannot be read now are no fault of the file.
  if (!problem && (::access(file.c_str(), R_OK) == 0 || errno != EACCES)) return {};
  STRATA_TRY(setAside(file));
  return {};
}

}  // namespace strata
