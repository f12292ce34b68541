#include "core/ops/exchange/kept_damage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "core/io/folder_mutex.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/kept/kept_place.h"
#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/asked_remotes.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

Damage damageOf(fs::path path, std::string reason) {
  return {.kind = Damage::Kind::Remote, .path = std::move(path), .reason = std::move(reason)};
}

/// What is wrong with the list kept of a place. `name`: of a remote, or the stem of a place that
/// has none.
std::vector<Damage> damagesOfList(const fs::path& storeFolder, const std::string& name) {
  std::vector<Damage> damages;
  const fs::path file = remoteFile(storeFolder, name, ".json");
  if (const auto kept = readFetched(storeFolder, name); !kept) {
    damages.push_back(damageOf(file, kept.error().message));
  } else if (!*kept && (rememberAgreed(storeFolder, name) || isListLost(storeFolder, name))) {
    damages.push_back(damageOf(file, file.string() + ": is missing"));
  }
  if (const auto others = checkOtherStems(storeFolder, name); !others) {
    damages.push_back(damageOf(file, others.error().message));
  }
  return damages;
}

std::vector<Damage> damagesOf(const fs::path& storeFolder, const std::string& name) {
  std::vector<Damage> damages = damagesOfList(storeFolder, name);
  for (LostAgreed& lost : lostAgreed(storeFolder, name)) {
    damages.push_back(damageOf(std::move(lost.file), std::move(lost.reason)));
  }
  return damages;
}

/// Stems of places of which something is kept, or was, and that no remote of the store has, and
/// those of former remotes.
std::set<std::string> unnamedPlaces(const fs::path& storeFolder, const RemoteList& remotes) {
  std::set<std::string> stems = urlStemsKept(storeFolder);
  for (std::string& place : AskedRemotes::load(storeFolder).value_or(AskedRemotes{}).places()) {
    if (isUrlStem(place)) stems.insert(std::move(place));
  }
  for (const RemoteConfig& remote : remotes.remotes) stems.erase(stemOf(remote.url));
  stems.merge(replacedStemsKept(storeFolder));
  return stems;
}

std::string whyAskedIsDamaged(const fs::path& storeFolder, const Error& error) {
  const std::vector<std::string> lost = perhapsLost(storeFolder);
  if (lost.empty()) return error.message;
  return fmt::format("{}; nothing is kept of {}, and whether that was lost is not known",
                     error.message, fmt::join(lost, ", "));
}

}  // namespace

std::vector<Damage> keptDamages(const fs::path& storeFolder) {
  std::vector<Damage> damages;
  if (const auto asked = AskedRemotes::load(storeFolder); !asked) {
    damages.push_back({.kind = Damage::Kind::Ref,
                       .path = AskedRemotes::fileOf(storeFolder),
                       .reason = whyAskedIsDamaged(storeFolder, asked.error())});
  }
  const auto list = RemoteList::load(storeFolder);
  if (!list) {
    damages.push_back({.kind = Damage::Kind::Place,
                       .path = storeFolder / "remotes.toml",
                       .reason = list.error().message});
    return damages;
  }
  for (const RemoteConfig& remote : list->remotes) {
    for (Damage& damage : damagesOf(storeFolder, remote.name)) {
      damage.remote = remote.name;
      damages.push_back(std::move(damage));
    }
  }
  for (const std::string& stem : unnamedPlaces(storeFolder, *list)) {
    std::ranges::move(damagesOf(storeFolder, stem), std::back_inserter(damages));
  }
  return damages;
}

Result<void> forgetUnnamedDamages(const Store& store, std::vector<fs::path>& aside) {
  const fs::path& folder = store.folder();
  STRATA_TRY(const RemoteList remotes, RemoteList::load(folder));
  for (const std::string& stem : unnamedPlaces(folder, remotes)) {
    // What cannot be read for another reason may be sound.
    const auto list = readFetched(folder, stem);
    if (!list && list.error().code != ErrorCode::CorruptData) return fail(list.error());
    if (!damagesOfList(folder, stem).empty()) {
      STRATA_TRY(auto moved, setAsideKept(folder, stem));
      forgetFetched(folder, stem);
      std::ranges::move(moved, std::back_inserter(aside));
    } else if (!lostAgreed(folder, stem).empty()) {
      STRATA_TRY(const auto kept, readFetched(folder, stem));
      const RefListing listing = kept ? kept->listing : RefListing{};
      STRATA_TRY(keepAgreed(store, stem, RemoteLibrary::from(listing)));
    }
  }
  return {};
}

}  // namespace strata
