#include "core/ops/exchange/kept_damage.h"

#include <utility>

#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/detail/agreed_tags.h"
#include "core/ops/exchange/detail/kept_place.h"
#include "core/ops/exchange/detail/remote_file.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/asked_remotes.h"
#include "core/transfer/remote_config.h"

namespace strata {

std::vector<Damage> keptDamages(const std::filesystem::path& storeFolder) {
  std::vector<Damage> damages;
  if (const auto asked = AskedRemotes::load(storeFolder); !asked) {
    damages.push_back({.kind = Damage::Kind::Ref,
                       .path = AskedRemotes::fileOf(storeFolder),
                       .reason = asked.error().message});
  }
  const auto list = RemoteList::load(storeFolder);
  if (!list) {
    damages.push_back({.kind = Damage::Kind::Place,
                       .path = storeFolder / "remotes.toml",
                       .reason = list.error().message});
    return damages;
  }
  for (const RemoteConfig& remote : list->remotes) {
    const auto add = [&](std::filesystem::path path, std::string reason) {
      damages.push_back({.kind = Damage::Kind::Remote,
                         .path = std::move(path),
                         .reason = std::move(reason),
                         .remote = remote.name});
    };
    if (const auto kept = readFetched(storeFolder, remote.name); !kept) {
      add(remoteFile(storeFolder, remote.name, ".json"), kept.error().message);
    } else if (!*kept &&
               (rememberAgreed(storeFolder, remote.name) || isListLost(storeFolder, remote.name))) {
      const auto file = remoteFile(storeFolder, remote.name, ".json");
      add(file, file.string() + ": is missing");
    }
    if (const auto others = checkOtherStems(storeFolder, remote.name); !others) {
      add(remoteFile(storeFolder, remote.name, ".json"), others.error().message);
    }
    for (LostAgreed& lost : lostAgreed(storeFolder, remote.name)) {
      add(std::move(lost.file), std::move(lost.reason));
    }
  }
  return damages;
}

}  // namespace strata
