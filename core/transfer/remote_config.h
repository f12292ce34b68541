#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/store_trust.h"
#include "core/io/folder_mutex.h"
#include "core/result.h"

namespace strata {

/// A remote as the user named it. Holds no secret: those are kept elsewhere, under its name.
struct RemoteConfig {
  std::string name;
  std::string url;  ///< "hf://acme/models", "file:///mnt/share", …; without user and password
  std::string endpoint = {};           ///< of a hub or object store that is not the usual one
  std::string caFile = {};             ///< PEM
  std::string clientCertificate = {};  ///< PEM
  std::string clientKey = {};          ///< PEM
  std::string chunk = {};  ///< of registries: size of an upload's pieces, "64MB"; empty: whole
  bool insecure = false;   ///< take any certificate
  bool plainHttp = false;  ///< http:// to hosts other than loopback
  /// Why it must not be used, where a store's file names it and the user did not confirm that; see
  /// checkConfirmed(). What the user names on the command line is confirmed by that.
  std::string unconfirmed = {};
};

/// Before a remote is spoken to or its credentials are looked up: fails with InvalidArgument, with
/// what confirms it, if nobody but the store's own file names it.
Result<void> checkConfirmed(const RemoteConfig& remote);

/// The remotes of a store: `STORE/remotes.toml`. A value type.
struct RemoteList {
  std::vector<RemoteConfig> remotes;  ///< sorted by name
  std::string defaultName;            ///< empty: none, or the only one

  /// Says of each remote whether the user confirmed it. Fails with InvalidArgument, naming file and
  /// line, as checkStoreOwner, or with Io. No file: no remotes.
  static Result<RemoteList> load(const std::filesystem::path& storeFolder);
  /// What the user's own doing put into the list counts as confirmed from then on.
  /// Fails with NoSpace, Io or, writing nothing, with InvalidArgument: credentials in a URL.
  Result<void> save(const std::filesystem::path& storeFolder) const;
  /// Held from load() to save(), it keeps others that change the list waiting. Fails with Io.
  static Result<FolderMutex> lock(const std::filesystem::path& storeFolder);

  /// nullptr if there is none.
  RemoteConfig* find(std::string_view name) noexcept;
  const RemoteConfig* find(std::string_view name) const noexcept;

  /// The remote that `word` names: one of the list, or a URL, which gets the settings of a
  /// confirmed remote with that URL. Empty: the default one. Fails with NotFound, naming what there
  /// is, or InvalidArgument.
  Result<RemoteConfig> choose(std::string_view word) const;
};

/// What the list of remotes in a store says: each remote, with all that is said of it.
/// Fails as RemoteList::load.
Result<std::vector<StoreStatement>> statementsOfRemotes(const std::filesystem::path& storeFolder);

/// Whether a word is a URL of a kind that can be a remote.
bool isRemoteUrl(std::string_view word) noexcept;

/// Fails with InvalidArgument unless `url` is one and holds no credentials. Which kinds of remotes
/// there are is known to hub/remote_kinds.h.
Result<void> checkRemoteUrl(std::string_view url);

}  // namespace strata
